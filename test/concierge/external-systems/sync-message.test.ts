import { describe, expect, test } from "@jest/globals";
import { syncMessageOf, type SyncOutEvent } from "../../../server/lib/sync-message.ts";

/** The message to another system for an event. */

const user = { id: "u-1", first_name: "Ada", restore_id: "canary", updated_time: "2026-01-05T09:00:00.000Z" };
const conversation = { conversation_id: "c-1", interaction_id: "i-1", status: "resolved", messages: [] };
const event = (name: string, data: object, more: object = {}) =>
  ({
    event: name,
    timestamp: Date.UTC(2026, 0, 5, 9),
    data: { associations: {}, ...data },
    ...more,
  }) as unknown as SyncOutEvent;
const status = (before: string, after: string) => ({ model_changes: { status: [before, after] } });
const RESOLVED = event("onConversationUpdate", {
  conversation,
  changes: status("new", "resolved"),
  associations: { user, channel: { id: "t-1", name: "Sales", tags: [] } },
});
const rated = (interaction_id: string, more: object = {}) =>
  event(
    "onMessageCreate",
    { message: conversation, associations: { user } },
    { happening: { kind: "rated", conversation_id: "c-1", interaction_id, user_id: "u-1", rating: 4, ...more } },
  );

describe("no message is sent for", () => {
  test.each([
    [
      "a conversation that is not resolved",
      event("onConversationUpdate", { conversation, changes: status("resolved", "new") }),
    ],
    [
      "another change of a resolved conversation",
      event("onConversationUpdate", { conversation, changes: { model_changes: { priority: [1, 2] } } }),
    ],
    ["a change of nothing", event("onUserUpdate", { user })],
    ["a message", event("onMessageCreate", { message: conversation, changes: status("new", "resolved") })],
    [
      "a lead",
      event(
        "onConversationUpdate",
        { conversation, changes: status("new", "resolved") },
        { happening: { kind: "lead" } },
      ),
    ],
  ])("%s", (_title, one) => expect(syncMessageOf(one)).toBeUndefined());
});

test("the message of a new customer has no restore_id and a stable id", () => {
  const syncMessage = syncMessageOf(event("onUserCreate", { user }));
  expect(syncMessage).toEqual({
    kind: "New customers",
    message: {
      id: expect.stringMatching(/^told-[\w-]{25}$/),
      event: "user.created",
      time: "2026-01-05T09:00:00.000Z",
      user: { id: "u-1", first_name: "Ada", updated_time: user.updated_time },
    },
  });
  expect(syncMessageOf(event("onUserCreate", { user }, { timestamp: 1 }))?.message.id).toBe(syncMessage?.message.id);
  expect(syncMessageOf(event("onUserCreate", { user: { ...user, id: "u-2" } }))?.message.id).not.toBe(
    syncMessage?.message.id,
  );
});

test("each change of a customer has its own message", () => {
  const change = (last: string) =>
    syncMessageOf(event("onUserUpdate", { user, changes: { model_changes: { phone: [null, last] } } }));
  expect(change("1")).toMatchObject({
    kind: "Changed customers",
    message: { event: "user.updated", changes: { phone: [null, "1"] } },
  });
  expect(change("1")?.message.id).toBe(change("1")?.message.id);
  expect(change("1")?.message.id).not.toBe(change("2")?.message.id);
});

test("each resolution of a conversation has a message with customer and topic", () => {
  expect(syncMessageOf(RESOLVED)).toMatchObject({
    kind: "Resolved conversations",
    message: {
      event: "conversation.resolved",
      user: { id: "u-1" },
      channel: { id: "t-1", name: "Sales" },
      conversation: { conversation_id: "c-1", status: "resolved" },
    },
  });
  const { message } = syncMessageOf(RESOLVED) ?? {};
  expect(message?.channel).toEqual({ id: "t-1", name: "Sales" });
  expect(message?.conversation).not.toHaveProperty("messages");
  expect(message).not.toHaveProperty("rating");
  expect(syncMessageOf({ ...RESOLVED, timestamp: 1 })?.message.id).not.toBe(message?.id);
});

test("each interaction has one message about its rating", () => {
  expect(syncMessageOf(rated("i-1"))).toMatchObject({
    kind: "Ratings",
    message: { event: "conversation.rated", conversation: { conversation_id: "c-1" } },
  });
  expect(syncMessageOf(rated("i-1"))?.message.rating).toEqual({ points: 4 });
  expect(syncMessageOf(rated("i-1", { feedback: "Fine" }))?.message.rating).toEqual({ points: 4, feedback: "Fine" });
  expect(syncMessageOf(rated("i-1"))?.message.id).not.toBe(syncMessageOf(rated("i-2"))?.message.id);
});
