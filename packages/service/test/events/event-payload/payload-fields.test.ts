import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type Message, payloadObjects, type WebhookEvent } from "@parley/contract";
import {
  refusalToken,
  conversationsHarness,
  type ConversationsHarness,
  textParts,
} from "../../messaging/conversations/conversations-harness.ts";
import { openStreamReader } from "../stream/stream-reader-fixture.ts";
import { webhooksHarness, type WebhooksHarness } from "../webhooks/webhooks-harness.ts";

/** Compares docs/integrators/payload-fields.md with real responses. */

const OBJECTS = new Map(payloadObjects().map(({ title, fields }) => [title, fields]));

/** @shape more: names of additional fields, as the document states them */
const expectFields = (title: string, object: object | undefined, more: readonly string[] = []) => {
  const fields = OBJECTS.get(title) ?? [];
  const names = Object.keys(object ?? {});
  const missing = fields.filter(({ name, presence }) => presence === "always" && !names.includes(name));
  const unknown = names.filter((each) => !more.includes(each) && !fields.some(({ name }) => name === each));
  const never = fields.filter(
    ({ name, presence }) => presence === "never" && name.split(", ").some((each) => names.includes(each)),
  );
  expect({
    missing: missing.map(({ name }) => name),
    unknown,
    never: never.map(({ name }) => name).filter((name) => !more.includes(name)),
  }).toEqual({ missing: [], unknown: [], never: [] });
};

describe("responses and events", () => {
  let s: ConversationsHarness;
  let messages: Message[];
  let id: string;
  beforeAll(async () => {
    s = await conversationsHarness();
    const started = await s.createConversation();
    id = started.conversation_id;
    const agent = s.agentNamed("Noah").id;
    await s.updateConversation(id, { status: "assigned", assigned_agent_id: agent });
    const flagged = await s.createMessage(id, { restrictResponse: false, botsPrivateNote: true });
    await s.createMessage(id, { actor_type: "agent", actor_id: agent, reply_parts: [{ help_text: { content: "?" } }] });
    const response = { in_reply_to: { message_id: flagged.id }, meta_data: { a: 1 } };
    await s.createMessage(id, { actor_type: "user", actor_id: started.user_id, ...response });
    await s.updateConversation(id, { status: "resolved" });
    messages = await s.listMessages(id);
  });
  afterAll(() => s.close());

  test("messages of each kind have the documented fields, and no others", () => {
    expect(new Set(messages.map(({ actor_type }) => actor_type)).size).toBe(4);
    for (const message of messages) {
      expectFields("Message", message);
      for (const name of ["isBotsInput", "message_source", "user_id", "restrictResponse", "botsPrivateNote"])
        expect(message).toHaveProperty(name);
    }
  });

  test("conversations, users, groups and channels have the documented fields", async () => {
    expectFields("Conversation", await s.getConversation(id));
    const { groups } = await s.client.groups.listGroups();
    const { channels } = await s.client.channels.listChannels({ query: { locale: "en" } });
    for (const group of groups) expectFields("Group", group);
    for (const channel of channels) expectFields("Channel", channel);
    expectFields("User", await s.createUser());
  });

  test("events have the documented fields", async () => {
    const stream = await openStreamReader({ url: s.url, token: s.token });
    const { conversation_id } = await s.createConversation();
    await s.updateConversation(conversation_id, { status: "resolved" });
    await stream.until(() => stream.events.length >= 5);
    stream.disconnect();
    for (const { data } of stream.events) {
      const { conversation, message, associations } = data.data;
      const entity = conversation ?? message;
      if (!entity) continue;
      expectFields("Conversation", entity, ["interaction_id", "messages"]);
      for (const each of entity.messages ?? []) expectFields("Message", each);
      expectFields("User", associations.user);
      expectFields("Channel", associations.channel);
      expect(associations.user).not.toHaveProperty("restore_id");
    }
  });

  test("a conversation's status is one of the four, and a part has one of the documented keys", async () => {
    for (const status of ["waiting on customer", "waiting on internal team", "WAITING_ON_CUSTOMER"])
      expect(await refusalToken(s.updateConversation(id, { status: status as "new" }))).toBe("INVALID_VALUE");
    const email = [{ email: { content: "Hi" } }] as unknown as ReturnType<typeof textParts>;
    expect(await refusalToken(s.createMessage(id, { message_parts: email }))).toBe("INVALID_VALUE");
  });
});

describe("webhooks", () => {
  let w: WebhooksHarness;
  beforeAll(async () => {
    w = await webhooksHarness();
  });
  afterAll(() => w.close());

  test("have the documented fields, and no others", async () => {
    const { receiver } = await w.addReceiver();
    const { id } = await w.client.users.createUser({ body: {} });
    const { channels } = await w.client.channels.listChannels();
    const { conversation_id } = await w.client.conversations.createConversation({
      body: {
        channel_id: channels[0]?.id ?? "",
        users: [{ id }],
        messages: [{ actor_type: "user", actor_id: id, message_parts: textParts("Hi") }],
      },
    });
    for (const status of ["resolved", "reopened"] as const)
      await w.client.conversations.updateConversation({ params: { conversation_id }, body: { status } });
    await receiver.until(5);
    const events: WebhookEvent[] = receiver.received.map(({ event }) => event);
    expect(new Set(events.map(({ action }) => action)).size).toBe(3);
    for (const { data } of events) {
      if ("message" in data) expectFields("Message", data.message);
      if ("resolve" in data) {
        expectFields("Conversation", data.resolve.conversation);
        expectFields("User", data.resolve.user);
      }
      if ("reopen" in data) expectFields("Conversation", data.reopen.conversation);
    }
  });
});
