import { describe, expect, test } from "@jest/globals";
import { isProblemError } from "@parley/client";
import type { Message, NewMessage } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import {
  messageRefusalToken,
  UNKNOWN_ID,
  refusalToken,
  conversationsHarness,
  textParts,
} from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationsHarness);

const byUser = (actor_id: string, more: Partial<NewMessage> = {}): Partial<NewMessage> => ({
  actor_type: "user",
  actor_id,
  ...more,
});

test("POST /conversations/{conversation_id}/messages answers 200 with the message", async () => {
  const { conversation_id, channel_id, user_id, app_id, messages } = await s.createConversation();
  const olivia = s.agentNamed("Olivia");
  const reply_parts = [{ collection: { sub_parts: [{ quick_reply_button: { label: "Yes" } }] } }];
  const sent = await s.createMessage(conversation_id, {
    actor_type: "agent",
    actor_id: olivia.id,
    reply_parts,
    meta_data: { a: [1] },
  });
  expect(sent).toEqual({
    freshchat_conversation_id: expect.stringMatching(/^\d+$/),
    freshchat_channel_id: expect.stringMatching(/^\d+$/),
    restrictResponse: false,
    botsPrivateNote: false,
    isBotsInput: false,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    created_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    app_id,
    actor_type: "agent",
    actor_id: olivia.id,
    org_actor_id: olivia.org_contact_id,
    channel_id,
    conversation_id,
    interaction_id: messages[0]?.interaction_id,
    message_type: "normal",
    message_source: "api",
    user_id,
    message_parts: textParts("Hello"),
    reply_parts,
    meta_data: { a: [1] },
  });
  expect((await s.listMessages(conversation_id)).at(-1)).toEqual(sent);
});

test("POST /conversations/{conversation_id}/messages accepts the header ASSUME-IDENTITY", async () => {
  const { conversation_id } = await s.createConversation();
  const response = await s.raw("POST", `/v2/conversations/${conversation_id}/messages`, {
    body: JSON.stringify({ actor_type: "bot", actor_id: null, message_parts: textParts("Hi") }),
    headers: { "content-type": "application/json", "ASSUME-IDENTITY": "false" },
  });
  expect(response.status).toBe(200);
  expect(await response.json()).not.toHaveProperty("actor_id");
});

describe("POST /conversations/{conversation_id}/messages accepts", () => {
  test.each<[string, () => Partial<NewMessage>, Partial<Message>]>([
    ["a bot's message with an empty actor_id", () => ({ actor_id: "" }), { actor_type: "bot" }],
    [
      "an agent's private note",
      () => ({ actor_type: "agent", actor_id: s.agentNamed("Maya").id, message_type: "private" }),
      { message_type: "private" },
    ],
    ["a bot's private note", () => ({ botsPrivateNote: true }), { message_type: "private", botsPrivateNote: true }],
    [
      "a message of the system",
      () => ({ actor_type: "system", message_type: "system", meta_data: { tag: "x" } }),
      { actor_type: "system", message_type: "system" },
    ],
  ])("%s", async (_title, message, expected) => {
    const { conversation_id } = await s.createConversation();
    const sent = await s.createMessage(conversation_id, message());
    expect(sent).toMatchObject(expected);
    if (sent.actor_type === "bot") expect(sent).not.toHaveProperty("actor_id");
  });

  test("a user's message without flags that only bots have", async () => {
    const { conversation_id, user_id } = await s.createConversation();
    const sent = await s.createMessage(
      conversation_id,
      byUser(user_id, { user_id, restrictResponse: true, botsPrivateNote: true }),
    );
    expect(sent).toMatchObject({ actor_id: user_id, user_id, message_type: "normal" });
    expect(sent).toMatchObject({ restrictResponse: false, botsPrivateNote: false });
  });
});

describe("a refusal of one of several messages names that message", () => {
  const wordsOf = async (bad: Partial<NewMessage>): Promise<string> => {
    const { id } = await s.createUser();
    const good: NewMessage = { actor_type: "user", actor_id: id, message_parts: textParts("Hi") };
    const body = { channel_id: s.channel.id, users: [{ id }], messages: [good, good, good, { ...good, ...bad }] };
    const error: unknown = await s.client.conversations.createConversation({ body }).catch((thrown: unknown) => thrown);
    return isProblemError(error) ? error.problem.message : "no refusal";
  };
  test.each<[string, Partial<NewMessage>, RegExp]>([
    ["an absent actor", { actor_id: undefined }, /^messages\[3\]\.actor_id is mandatory/],
    ["another user", { actor_id: UNKNOWN_ID }, /^messages\[3\]\.actor_id must be the user/],
    ["an unknown agent", { actor_type: "agent", actor_id: UNKNOWN_ID }, /^messages\[3\](\.actor_id|: )/],
    [
      "a part out of place",
      { message_parts: [{ quick_reply_button: { label: "a" } }] },
      /^messages\[3\]\.message_parts\[0\]/,
    ],
    ["an unknown file", { message_parts: [{ file: { file_hash: "x" } }] }, /^messages\[3\]\.message_parts\[0\]\.file/],
    ["a kind that a user can't send", { message_type: "private" }, /^messages\[3\]/],
    ["a reply to nothing", { in_reply_to: { message_id: UNKNOWN_ID } }, /^messages\[3\]\.in_reply_to/],
    ["a value of another kind", { message_parts: 1 as never }, /^messages\[3\]\.message_parts must be an array/],
  ])("%s", async (_title, bad, words) => {
    expect(await wordsOf(bad)).toMatch(words);
  });
});

describe("POST /conversations/{conversation_id}/messages refuses", () => {
  test.each<[string, Partial<NewMessage> | (() => Partial<NewMessage>)]>([
    [
      "POST /conversations/{conversation_id}/messages refuses a part out of place with INVALID_MESSAGE_PARTS",
      { message_parts: [{ quick_reply_button: { label: "Yes" } }] },
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses reply parts alone with INVALID_MESSAGE_PARTS",
      { message_parts: [], reply_parts: [{ help_text: { content: "x" } }] },
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses an agent's text input with INVALID_MESSAGE_PARTS",
      () => ({ actor_type: "agent", actor_id: s.agentNamed("Maya").id, reply_parts: [{ text_input: {} }] }),
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses another user with INVALID_ACTOR",
      { actor_type: "user", actor_id: UNKNOWN_ID },
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses a user without actor_id with INVALID_ACTOR",
      { actor_type: "user" },
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses an unknown agent with AGENT_NOT_FOUND",
      { actor_type: "agent", actor_id: UNKNOWN_ID },
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses an agent that is not an id with AGENT_NOT_FOUND",
      { actor_type: "agent", actor_id: "Olivia" },
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses a deactivated agent with INVALID_ACTOR",
      () => ({ actor_type: "agent", actor_id: s.agentNamed("Tom").id }),
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses a reply to an unknown message with INVALID_REPLY_TARGET",
      { in_reply_to: { message_id: UNKNOWN_ID } },
    ],
    [
      "POST /conversations/{conversation_id}/messages refuses a reply to no id with INVALID_REPLY_TARGET",
      { in_reply_to: { message_id: "first" } },
    ],
  ])("%s", async (title, message) => {
    const { conversation_id } = await s.createConversation();
    const input = typeof message === "function" ? message() : message;
    expect(await messageRefusalToken(s.createMessage(conversation_id, input))).toBe(title.split(" ").at(-1));
    expect(await s.listMessages(conversation_id)).toHaveLength(1);
  });

  test("POST /conversations/{conversation_id}/messages refuses a user's private message with INVALID_ACTOR", async () => {
    const { conversation_id, user_id } = await s.createConversation();
    for (const more of [{ message_type: "private" as const }, { user_id: UNKNOWN_ID }])
      expect(await messageRefusalToken(s.createMessage(conversation_id, byUser(user_id, more)))).toBe("INVALID_ACTOR");
  });

  test("POST /conversations/{conversation_id}/messages refuses a reply to another conversation's message with INVALID_REPLY_TARGET", async () => {
    const [one, other] = [await s.createConversation(), await s.createConversation()];
    const in_reply_to = { message_id: other.messages[0]?.id ?? "" };
    expect(await messageRefusalToken(s.createMessage(one.conversation_id, { in_reply_to }))).toBe(
      "INVALID_REPLY_TARGET",
    );
  });

  test("POST /conversations/{conversation_id}/messages refuses an unknown id and another account's with CONVERSATION_NOT_FOUND", async () => {
    const { conversation_id } = await s.createConversation();
    const theirs = s.solo.messages.createMessage({
      params: { conversation_id },
      body: { actor_type: "bot", message_parts: textParts("Hi") },
    });
    const refusals = await Promise.all(
      [s.createMessage(UNKNOWN_ID, {}), s.createMessage("12", {}), theirs].map(refusalToken),
    );
    expect(refusals).toEqual(Array.from({ length: 3 }, () => "CONVERSATION_NOT_FOUND"));
  });

  test("POST /conversations/{conversation_id}/messages refuses a deleted user with USER_NOT_FOUND, and accepts what the business does", async () => {
    const { conversation_id, user_id } = await s.createConversation();
    await s.client.users.deleteUser({ params: { user_id } });
    expect(await messageRefusalToken(s.createMessage(conversation_id, byUser(user_id)))).toBe("USER_NOT_FOUND");
    expect(await s.createMessage(conversation_id, {})).toMatchObject({ conversation_id });
    const resolved = { params: { conversation_id }, body: { status: "resolved" } } as const;
    expect(await s.client.conversations.updateConversation(resolved)).toMatchObject({ status: "resolved" });
    const rating = { params: { conversation_id }, body: { issue_resolved: true, rating: 5 } };
    expect(await refusalToken(s.client.csat.createCsat(rating))).toBe("USER_NOT_FOUND");
  });

  test("POST /conversations/{conversation_id}/messages refuses a user's earlier conversation with NOT_LATEST_CONVERSATION, and accepts an agent's message", async () => {
    const { conversation_id, user_id } = await s.createConversation();
    const latest = await s.createConversation({
      users: [{ id: user_id }],
      messages: [{ actor_type: "bot", message_parts: textParts("Hi") }],
    });
    const call = s.createMessage(conversation_id, byUser(user_id));
    await expect(call).rejects.toThrow(/not the latest conversation/);
    expect(await messageRefusalToken(s.createMessage(conversation_id, byUser(user_id)))).toBe(
      "NOT_LATEST_CONVERSATION",
    );
    expect(await s.createMessage(conversation_id, {})).toMatchObject({ conversation_id });
    expect(await s.createMessage(latest.conversation_id, byUser(user_id))).toMatchObject({ actor_id: user_id });
  });

  test("POST /conversations/{conversation_id}/messages refuses the user after a bot's restrictResponse with RESPONSE_RESTRICTED, until an assignment", async () => {
    const { conversation_id: id, user_id } = await s.createConversation();
    expect(await s.createMessage(id, { restrictResponse: true })).toMatchObject({ restrictResponse: true });
    expect(await messageRefusalToken(s.createMessage(id, byUser(user_id)))).toBe("RESPONSE_RESTRICTED");
    await s.updateConversation(id, { status: "resolved" });
    expect(await messageRefusalToken(s.createMessage(id, byUser(user_id)))).toBe("RESPONSE_RESTRICTED");
    await s.updateConversation(id, { status: "assigned", assigned_agent_id: s.agentNamed("Olivia").id });
    expect(await s.createMessage(id, byUser(user_id))).toMatchObject({ actor_id: user_id });
    // The bot's restriction of the user did not change any member of an event.
    expect((await s.loggedEvents(id)).filter(({ kind }) => kind === "conversation_update")).toHaveLength(2);
  });
});

test("POST /conversations/{conversation_id}/messages accepts the user's message in an assigned conversation despite a bot's restrictResponse", async () => {
  const { conversation_id: id, user_id } = await s.createConversation({ assigned_agent_id: s.agentNamed("Olivia").id });
  await s.createMessage(id, { restrictResponse: true });
  expect(await s.createMessage(id, byUser(user_id))).toMatchObject({ actor_id: user_id });
  await s.updateConversation(id, { status: "resolved" });
  expect(await messageRefusalToken(s.createMessage(id, byUser(user_id)))).toBe("RESPONSE_RESTRICTED");
});

/** Simulates a conversation that another writer always changes first. */
const LOSE = [
  `create function lose() returns trigger language plpgsql as $$ begin return null; end $$`,
  `create trigger lose before update on conversations for each row when (old.status = 'assigned') execute function lose()`,
];

test("POST /conversations/{conversation_id}/messages answers CONFLICT after the maximum of attempts, without any effect", async () => {
  const { conversation_id: id, user_id } = await s.createConversation({ assigned_agent_id: s.agentNamed("Olivia").id });
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  for (const sql of LOSE) await pool.rows(statement("", sql), []);
  expect(await refusalToken(s.createMessage(id, byUser(user_id)))).toBe("CONFLICT");
  expect(await refusalToken(s.createMessage(id, { restrictResponse: true }))).toBe("CONFLICT");
  await pool.rows(statement("", "drop function lose cascade"), []);
  expect(await s.listMessages(id)).toHaveLength(1);
  expect(await s.loggedEvents(id)).toHaveLength(2);
});
