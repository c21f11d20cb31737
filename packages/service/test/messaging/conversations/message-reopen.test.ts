import { describe, expect, test } from "@jest/globals";
import type { NewMessage } from "@parley/contract";
import { conversationsHarness, textParts } from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationsHarness);

const byUser = (actor_id: string, more: Partial<NewMessage> = {}): Partial<NewMessage> => ({
  actor_type: "user",
  actor_id,
  ...more,
});

describe("a user's message into a resolved conversation", () => {
  test("reopens it as a new interaction, whose event precedes the message's", async () => {
    const {
      conversation_id: id,
      user_id,
      messages,
    } = await s.createConversation({ assigned_agent_id: s.agentNamed("Olivia").id });
    await s.updateConversation(id, { status: "resolved" });
    const before = (await s.loggedEvents(id)).length;
    const sent = await s.createMessage(id, byUser(user_id));
    expect(sent.interaction_id).not.toBe(messages[0]?.interaction_id);
    const conversation = await s.getConversation(id);
    expect(conversation).toMatchObject({ status: "new" });
    expect(conversation).not.toHaveProperty("assigned_agent_id");
    const stored = await s.listMessages(id);
    expect(stored.slice(-2)).toMatchObject([
      { meta_data: { isReopen: true }, interaction_id: sent.interaction_id },
      { id: sent.id },
    ]);
    const events = (await s.loggedEvents(id)).slice(before);
    expect(events.map(({ kind, actor_type, message_id }) => [kind, actor_type, message_id])).toEqual([
      ["conversation_update", "user", null],
      ["message_create", "system", stored.at(-2)?.id],
      ["message_create", "user", sent.id],
    ]);
    expect(JSON.parse(events[0]?.changes ?? "")).toEqual({
      model_changes: { status: ["resolved", "new"], assigned_agent_id: [s.agentNamed("Olivia").id, null] },
    });
  });

  test("that replies to a message of the closed interaction is stored without reopening", async () => {
    const { conversation_id: id, user_id, messages } = await s.createConversation();
    await s.updateConversation(id, { status: "resolved" });
    const request = await s.createMessage(id, { message_parts: textParts("How was it?") });
    const response = await s.createMessage(id, byUser(user_id, { in_reply_to: { message_id: request.id } }));
    expect(response).toMatchObject({
      in_reply_to: { message_id: request.id },
      interaction_id: messages[0]?.interaction_id,
    });
    expect(await s.getConversation(id)).toMatchObject({ status: "resolved" });
  });

  test("that replies to a message of an earlier interaction reopens it", async () => {
    const { conversation_id: id, user_id, messages } = await s.createConversation();
    for (const status of ["resolved", "reopened", "resolved"] as const) await s.updateConversation(id, { status });
    await s.createMessage(id, byUser(user_id, { in_reply_to: { message_id: messages[0]?.id ?? "" } }));
    expect(await s.getConversation(id)).toMatchObject({ status: "new" });
  });

  test("among many concurrent ones reopens it once", async () => {
    const { conversation_id: id, user_id } = await s.createConversation();
    await s.updateConversation(id, { status: "resolved" });
    const sent = await Promise.all(Array.from({ length: 12 }, () => s.createMessage(id, byUser(user_id))));
    expect(new Set(sent.map(({ interaction_id }) => interaction_id)).size).toBe(1);
    const stored = await s.listMessages(id);
    expect(stored.filter(({ meta_data }) => meta_data?.["isReopen"])).toHaveLength(1);
    expect(stored).toHaveLength(1 + 1 + 1 + 12);
  });

  test.each(["agent", "bot", "system"] as const)("by an actor of type %s does not reopen it", async (actor_type) => {
    const { conversation_id: id } = await s.createConversation();
    await s.updateConversation(id, { status: "resolved" });
    await s.createMessage(id, { actor_type, actor_id: s.agentNamed("Maya").id });
    expect(await s.getConversation(id)).toMatchObject({ status: "resolved" });
  });
});
