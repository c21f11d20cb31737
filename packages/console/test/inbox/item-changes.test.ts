import type { InboxItem } from "@parley/contract";
import { expect, test } from "@jest/globals";
import { conversationEventOf, formerItem, withEvent, type ChangedItem } from "../../src/inbox/item-changes.ts";
import { at, eventOf, itemOf, messageOf } from "./inbox-fixture.ts";

type EventArguments = Parameters<typeof eventOf>;

const after = (before: InboxItem | undefined, ...event: EventArguments): ChangedItem => {
  const found = conversationEventOf(eventOf(...event));
  if (!found) throw new Error("no event of a conversation");
  return withEvent(before, found);
};

const known = itemOf(1, { activity_time: at(10), unread: 1 });

test("a message of the customer becomes the preview, is unread and begins the wait", () => {
  const { item, isCertain } = after(known, "message_create", known, { messages: [messageOf(20)] });
  expect(item).toMatchObject({ activity_time: at(20), unread: 2, waiting_since: at(20) });
  expect(item.preview).toMatchObject({ text: "Text 20", kind: "text", actor_type: "user", is_private: false });
  expect(isCertain).toBe(true);
});

test("a second message of the customer keeps the beginning of the wait", () => {
  const waiting = { ...known, waiting_since: at(10) };
  expect(after(waiting, "message_create", known, { messages: [messageOf(20)] }).item.waiting_since).toBe(at(10));
});

test.each([
  { by: "an answer of an agent", fields: { actor_type: "agent" }, isOver: true },
  { by: "a private note", fields: { actor_type: "agent", message_type: "private" }, isOver: false },
  { by: "a message of a bot", fields: { actor_type: "bot" }, isOver: false },
  {
    by: "a resolution",
    fields: { actor_type: "system", message_type: "system", meta_data: { isResolved: "true" } },
    isOver: true,
  },
] as const)("the wait after $by is over: $isOver", ({ fields, isOver }) => {
  const waiting = { ...known, waiting_since: at(10) };
  const { item } = after(waiting, "message_create", known, { messages: [messageOf(20, fields)] });
  expect(item.waiting_since).toBe(isOver ? undefined : at(10));
  expect(item.unread).toBe(1);
});

test("a system message is activity, and no preview", () => {
  const shown = after(known, "message_create", known, { messages: [messageOf(20)] }).item;
  const system = messageOf(30, { actor_type: "system", message_type: "system" });
  const { item } = after(shown, "message_create", known, { messages: [system] });
  expect(item.preview?.text).toBe("Text 20");
  expect(item.activity_time).toBe(at(30));
});

test("a private note is marked in the preview, and a message without a text has the kind of its first part", () => {
  const note = messageOf(20, {
    actor_type: "agent",
    message_type: "private",
    message_parts: [{ image: { url: "https://example.com/a.png" } }],
  });
  const { item } = after(known, "message_create", known, { messages: [note] });
  expect(item.preview).toMatchObject({ text: "image", kind: "image", is_private: true });
});

test("a message that was read with the conversation is not counted again", () => {
  const { item, isCertain } = after(known, "message_create", known, { messages: [messageOf(5)] });
  expect(item).toMatchObject({ unread: 1, activity_time: at(10) });
  expect(isCertain).toBe(true);
});

test("a message of the same millisecond as the newest one is in doubt", () => {
  expect(after(known, "message_create", known, { messages: [messageOf(10)] })).toMatchObject({
    item: { unread: 1 },
    isCertain: false,
  });
});

test("an event takes over status, assignment and properties", () => {
  const assigned = itemOf(1, { status: "assigned", assigned_agent_id: "a1", properties: { priority: "High" } });
  const { item } = after(known, "conversation_update", assigned);
  expect(item).toMatchObject({ status: "assigned", assigned_agent_id: "a1", properties: { priority: "High" } });
  const open = after(item, "conversation_update", itemOf(1)).item;
  expect(open).toMatchObject({ status: "new", activity_time: at(10) });
  expect(open.assigned_agent_id).toBeUndefined();
});

test("nobody waits in a resolved conversation, and whether somebody does after it was reopened is in doubt", () => {
  const waiting = { ...known, waiting_since: at(10) };
  const resolved = after(waiting, "conversation_update", itemOf(1, { status: "resolved" }));
  expect(resolved.item.waiting_since).toBeUndefined();
  expect(resolved.isCertain).toBe(true);
  expect(after(resolved.item, "conversation_update", itemOf(1)).isCertain).toBe(false);
});

test("a new conversation is known by its first event", () => {
  const messages = [messageOf(1), messageOf(2, { actor_type: "bot" })];
  const { item, isCertain } = after(undefined, "conversation_create", itemOf(1), { messages });
  expect(item).toMatchObject({ number: 1, unread: 1, activity_time: at(2), waiting_since: at(1) });
  expect(item.customer).toEqual({ id: "u1", first_name: "Customer 1" });
  expect(isCertain).toBe(true);
});

test("an unknown conversation is in doubt", () => {
  const { item, isCertain } = after(undefined, "message_create", itemOf(1), { messages: [messageOf(20)] });
  expect(item).toMatchObject({ unread: 1, preview: { text: "Text 20" } });
  expect(isCertain).toBe(false);
});

test.each([
  { event: "conversation_create", former: null },
  { event: "message_create", former: undefined },
] as const)("before $event an unknown conversation was $former", ({ event, former }) => {
  const found = conversationEventOf(eventOf(event, itemOf(1)));
  expect(found && formerItem(itemOf(1), found)).toBe(former);
});

test("the changes of an event tell what an unknown conversation was before", () => {
  const item = itemOf(1, { status: "assigned", assigned_agent_id: "a1" });
  const found = conversationEventOf(
    eventOf("conversation_update", item, { changes: { status: ["new", "assigned"], assigned_agent_id: [null, "a1"] } }),
  );
  const former = found && formerItem(item, found);
  expect(former?.status).toBe("new");
  expect(former?.assigned_agent_id).toBeUndefined();
});

test("events of users concern no conversation", () => {
  const { data, ...event } = eventOf("user_update", itemOf(1));
  const { conversation: _conversation, ...rest } = data;
  expect(conversationEventOf({ ...event, data: rest })).toBeUndefined();
});
