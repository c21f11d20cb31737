import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { CreatedConversation } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { NUMBERS } from "../../../src/base/db/migrations/0017_numbers.sql.ts";
import { importHarness, type ImportHarness } from "../../operations/transfer/import/import-harness.ts";
import { openStreamReader } from "../../events/stream/stream-reader-fixture.ts";
import { refusalToken, conversationsHarness, type ConversationsHarness, textParts } from "./conversations-harness.ts";

const DIGITS = /^[0-9]{1,15}$/;

describe("the public numbers beside the ids", () => {
  let s: ConversationsHarness;
  let started: CreatedConversation;
  beforeAll(async () => {
    s = await conversationsHarness();
    started = await s.createConversation();
  });
  afterAll(() => s.close());

  test("are equal for a conversation, its messages and its channel in responses and in every list", async () => {
    const { conversation_id: id, conversation_internal_id: number } = started;
    const sent = await s.createMessage(id, {});
    const { channels } = await s.client.channels.listChannels();
    const channel = channels.find((each) => each.id === started.channel_id);
    const numbers = {
      freshchat_conversation_id: String(number),
      freshchat_channel_id: channel?.freshchat_channel_id,
    };
    expect(channel).toMatchObject({ freshchat_channel_id: expect.stringMatching(DIGITS), source: "FRESHCHAT" });
    expect([started.messages[0], sent, ...(await s.listMessages(id))]).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining(numbers)),
    );
    expect(await s.getConversation(id)).toMatchObject({ freshchat_conversation_id: String(number), skill_id: 0 });
    expect(new Set(channels.map(({ freshchat_channel_id }) => freshchat_channel_id)).size).toBe(channels.length);
  });

  test("of messages accompany restrictResponse, botsPrivateNote and isBotsInput", async () => {
    const { conversation_id: id, messages } = started;
    const no = { restrictResponse: false, botsPrivateNote: false, isBotsInput: false };
    expect(messages[0]).toMatchObject(no);
    const flagged = await s.createMessage(id, { botsPrivateNote: true });
    expect(flagged).toMatchObject({ ...no, botsPrivateNote: true });
    const answered = await s.createMessage(id, {
      actor_type: "user",
      actor_id: started.user_id,
      in_reply_to: { message_id: flagged.id },
    });
    expect(answered).toMatchObject({ ...no, isBotsInput: true });
    const welcome = (await s.client.channels.listChannels()).channels[0]?.welcome_message;
    expect(welcome).toMatchObject(no);
  });

  test("are in events, and a stream accepts the number as its filter", async () => {
    const { conversation_id: id, conversation_internal_id: number, messages } = started;
    const stream = await openStreamReader({ url: s.url, token: s.token, query: `?conversation_id=${number}` });
    const sent = await s.createMessage(id, {});
    await stream.until(() => stream.events.length > 0);
    stream.disconnect();
    const { message, associations } = stream.events[0]?.data.data ?? {};
    expect(message?.messages?.[0]).toEqual(sent);
    expect(message).toMatchObject({ freshchat_conversation_id: String(number), skill_id: 0 });
    expect(associations?.channel).toMatchObject({
      freshchat_channel_id: messages[0]?.freshchat_channel_id,
      source: "FRESHCHAT",
    });
  });

  test("are accepted in paths in place of the id", async () => {
    const { conversation_id: id, conversation_internal_id } = await s.createConversation();
    const number = String(conversation_internal_id);
    expect(await s.getConversation(number)).toEqual(await s.getConversation(id));
    expect((await s.createMessage(number, {})).conversation_id).toBe(id);
    expect(await s.listMessages(number)).toEqual(await s.listMessages(id));
    expect((await s.updateConversation(number, { status: "resolved" })).conversation_id).toBe(id);
    const rated = await s.client.csat.createCsat({
      params: { conversation_id: number },
      body: { issue_resolved: true, rating: 5 },
    });
    expect(rated.conversation_id).toBe(id);
  });

  test.each(["0", "999999999999999", "-1", "1e3", "9".repeat(400)])("do not include %s", async (number) => {
    expect(await refusalToken(s.getConversation(number))).toBe("CONVERSATION_NOT_FOUND");
    const list = s.client.messages.listMessages({ params: { conversation_id: number } });
    expect(await refusalToken(list)).toBe("CONVERSATION_NOT_FOUND");
  });

  test("of another account are not found", async () => {
    const params = { conversation_id: String(started.conversation_internal_id) };
    expect(await refusalToken(s.solo.conversations.getConversation({ params }))).toBe("CONVERSATION_NOT_FOUND");
    expect(await refusalToken(s.solo.messages.listMessages({ params }))).toBe("CONVERSATION_NOT_FOUND");
  });

  test("are added to messages of an earlier release", async () => {
    const { conversation_id: id, user_id } = await s.createConversation();
    const flagged = await s.createMessage(id, {
      restrictResponse: true,
      message_parts: textParts('"restrictResponse":no'),
    });
    await s.createMessage(id, { restrictResponse: false });
    await s.createMessage(id, { actor_type: "agent", actor_id: s.agentNamed("Noah").id, meta_data: { a: 1 } });
    await s.createMessage(id, { actor_type: "user", actor_id: user_id, in_reply_to: { message_id: flagged.id } });
    const before = await s.listMessages(id);
    const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
    const older = ["freshchat_conversation_id", "freshchat_channel_id", "botsPrivateNote", "isBotsInput"];
    const strip = statement(
      "",
      `update messages set body = ((body::jsonb - $2::text[]))::text where conversation_id = $1`,
    );
    await pool.rows(strip, [id, older]);
    expect((await s.listMessages(id))[0]).not.toHaveProperty("freshchat_conversation_id");
    const compact = statement("", `update messages set body = replace(body, '": ', '":') where conversation_id = $1`);
    await pool.rows(compact, [id]);
    const connection = await s.database.connect(SERVICE_SCHEMA);
    await connection.script(NUMBERS);
    await connection.script(NUMBERS);
    await connection.close();
    await pool.end();
    expect(await s.listMessages(id)).toEqual(before);
  });
});

describe("a conversation that is imported from another database", () => {
  let here: ImportHarness;
  beforeAll(async () => {
    here = await importHarness();
  });
  afterAll(() => here.close());

  const user = { type: "user", id: "u", created_time: "2026-01-01T00:00:00.000Z" };
  const conversation = (id: string, number: number) => ({
    type: "conversation",
    conversation_id: id,
    conversation_internal_id: number,
    channel_id: "Inbox",
    user_id: "u",
    created_time: "2026-01-02T00:00:00.000Z",
  });
  const message = (id: string) => ({
    type: "message",
    id: `m-${id}`,
    conversation_id: id,
    actor_type: "bot",
    message_parts: textParts("Hi"),
    freshchat_conversation_id: "1",
    created_time: "2026-01-02T00:00:00.000Z",
  });
  const numbers = async () => {
    const { records } = await here.exportRecords("?account=acme");
    const numbersOf = (name: "conversation" | "message", member: string) =>
      records.filter(({ type }) => type === name).map((record) => Reflect.get(record, member) as unknown);
    return {
      conversations: numbersOf("conversation", "conversation_internal_id"),
      messages: numbersOf("message", "freshchat_conversation_id"),
    };
  };

  test("keeps its number, and is unchanged by a second import", async () => {
    const records = [user, conversation("a", 7), message("a")];
    expect((await here.importRecords(records, "?account=acme")).last).toMatchObject({ created: 3, refused: 0 });
    expect(await numbers()).toEqual({ conversations: [7], messages: ["7"] });
    expect((await here.importRecords(records, "?account=acme")).last).toMatchObject({ unchanged: 3, refused: 0 });
    const { records: input } = await here.exportRecords("?account=acme");
    expect((await here.importRecords(input)).last).toMatchObject({ created: 0, updated: 0, refused: 0 });
  });

  test("gets a new number if another conversation has it, also one of the same file", async () => {
    const more = [user, conversation("b", 7), conversation("c", 8), conversation("d", 8), message("b")];
    expect((await here.importRecords(more, "?account=acme")).last).toMatchObject({ created: 4, refused: 0 });
    const { conversations, messages } = await numbers();
    expect(new Set(conversations).size).toBe(4);
    expect(conversations).toEqual(expect.arrayContaining([7, 8]));
    expect(new Set(messages).size).toBe(2);
  });

  test("gets a new number if this database allocates from the same range", async () => {
    const { conversations } = await numbers();
    const drawn = conversations.map(Number).filter((number) => number > 1_000_000_000);
    const ahead = Math.max(...drawn) + 100_000;
    await here.importRecords([user, conversation("e", ahead)], "?account=acme");
    expect((await numbers()).conversations).not.toContain(ahead);
  });
});
