import { beforeAll, describe, expect, test } from "@jest/globals";
import { MESSENGER_LIMITS, type MessengerMessage } from "@parley/contract";
import { outcome, UNKNOWN_ID } from "../../console/console-harness.ts";
import { conversationHarness, textMessage, type TestVisitor } from "../conversation-harness.ts";
import { keyed, textsOf, visitorRequests } from "../visitor-requests.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationHarness);
const { send, read, list, api, byAgent, resolve, blockedVisitor } = visitorRequests(() => s);

describe("GET /messenger/api/conversations/{conversation_id}/messages", () => {
  let visitor: TestVisitor;
  let id: string;
  let all: readonly MessengerMessage[];
  beforeAll(async () => {
    visitor = await s.visitor("Fay");
    const { conversation } = await s.begin(visitor, "0");
    ({ id } = conversation);
    for (let index = 1; index < 8; index++) {
      await api(id, byAgent("note", { message_type: "private" }));
      await api(id, byAgent(`${index}`));
    }
    all = (await read(visitor, id)).body.messages;
  });

  test("GET /messenger/api/conversations/{conversation_id}/messages 200 lists the newest messages without notes", async () => {
    const { code, body } = await read(visitor, id);
    expect([code, textsOf(body.messages), body.has_older, body.has_newer]).toEqual([
      200,
      ["0", "1", "2", "3", "4", "5", "6", "7"],
      false,
      false,
    ]);
    expect(body.messages[1]?.actor).toMatchObject({ type: "agent", first_name: "Diego" });
  });

  test.each([
    ["the end", {}, 3, ["5", "6", "7"], true, false],
    ["before a message", { before: 5 }, 3, ["2", "3", "4"], true, true],
    ["before a message, to the beginning", { before: 3 }, 3, ["0", "1", "2"], false, true],
    ["after a message", { after: 2 }, 3, ["3", "4", "5"], true, true],
    ["after a message, to the end", { after: 4 }, 3, ["5", "6", "7"], true, false],
    ["after the last message", { after: 7 }, 3, [], true, false],
  ] as const)("a page: %s", async (_, place: { before?: number; after?: number }, limit, texts, older, newer) => {
    const anchors = Object.entries(place).map(([name, index]) => [name, all[index]?.id ?? ""] as const);
    const { body } = await read(visitor, id, { ...Object.fromEntries<string>(anchors), limit });
    expect([textsOf(body.messages), body.has_older, body.has_newer]).toEqual([texts, older, newer]);
  });

  test("GET /messenger/api/conversations/{conversation_id}/messages 404 MESSAGE_NOT_FOUND for an unknown id, and for the id of a note", async () => {
    const { id: note } = await api(id, byAgent("The last note", { message_type: "private" }));
    const codes = [];
    for (const before of [UNKNOWN_ID, "x", note]) codes.push(outcome(await read(visitor, id, { before })));
    expect(codes).toEqual(Array(3).fill("404 MESSAGE_NOT_FOUND"));
  });

  test("GET /messenger/api/conversations/{conversation_id}/messages 404 CONVERSATION_NOT_FOUND for another visitor's", async () => {
    const other = await s.begin(await s.visitor("Stranger"), "Secret");
    const codes = [];
    for (const conversation_id of [other.conversation.id, UNKNOWN_ID, "x"])
      codes.push(outcome(await read(visitor, conversation_id)));
    expect(codes).toEqual(Array(3).fill("404 CONVERSATION_NOT_FOUND"));
  });

  test("of system messages those about a resolution and a reopening are shown", async () => {
    const own = await s.visitor("Gil");
    const { conversation } = await s.begin(own);
    await api(conversation.id, {
      actor_type: "system",
      message_type: "system",
      ...textMessage("Assigned by olivia@acme.example"),
    });
    await resolve(conversation.id);
    await send(own, conversation.id, textMessage("Again"));
    const { body } = await read(own, conversation.id);
    expect(
      body.messages.map(({ message_type, message_parts }) => [message_type, message_parts[0]?.text?.content]),
    ).toEqual([
      ["normal", "Hello"],
      ["system", "The conversation was resolved."],
      ["system", "The conversation was reopened."],
      ["normal", "Again"],
    ]);
  });
});

describe("POST /messenger/api/conversations/{conversation_id}/messages", () => {
  test("POST /messenger/api/conversations/{conversation_id}/messages 200 adds a message", async () => {
    const visitor = await s.visitor("Hana");
    const { conversation } = await s.begin(visitor);
    const { code, body } = await send(visitor, conversation.id, textMessage("More"));
    expect([code, body]).toEqual([
      200,
      {
        id: expect.any(String),
        conversation_id: conversation.id,
        created_time: expect.any(String),
        actor: { type: "user" },
        message_type: "normal",
        message_parts: [{ text: { content: "More" } }],
      },
    ]);
  });

  test("a repeated request with the same key adds one message and gets the same form of it", async () => {
    const visitor = await s.visitor("Ina");
    const { conversation } = await s.begin(visitor);
    const body = textMessage("Once");
    const first = await send(visitor, conversation.id, body, keyed("send-1"));
    const again = await send(visitor, conversation.id, body, keyed("send-1"));
    expect([again.code, again.headers.get("idempotency-replayed"), again.body]).toEqual([200, "true", first.body]);
    const together = await Promise.all([1, 2, 3].map(() => send(visitor, conversation.id, body, keyed("send-2"))));
    expect(new Set(together.map((each) => JSON.stringify(each.body))).size).toBe(1);
    expect(textsOf((await read(visitor, conversation.id)).body.messages)).toEqual(["Hello", "Once", "Once"]);
    const other = await s.session(visitor);
    await send(other, conversation.id, body, keyed("send-1"));
    expect((await read(visitor, conversation.id)).body.messages).toHaveLength(4);
  });

  test("a message to a resolved conversation reopens it", async () => {
    const visitor = await s.visitor("Jo");
    const { conversation } = await s.begin(visitor);
    await resolve(conversation.id);
    expect((await list(visitor))[0]?.status).toBe("resolved");
    await send(visitor, conversation.id);
    const [found] = await list(visitor);
    expect([found?.status, found?.interaction_id === conversation.interaction_id]).toEqual(["new", false]);
  });

  test("POST /messenger/api/conversations/{conversation_id}/messages 400 INVALID_REPLY_TARGET for a message of another conversation", async () => {
    const visitor = await s.visitor("Oda");
    const { messages } = await s.begin(await s.visitor("Other"));
    const { conversation } = await s.begin(visitor);
    const body = { ...textMessage("Yes"), in_reply_to: { message_id: messages[0]?.id } };
    expect(outcome(await send(visitor, conversation.id, body))).toBe("400 INVALID_REPLY_TARGET");
  });

  test("POST /messenger/api/conversations/{conversation_id}/messages 400 NOT_LATEST_CONVERSATION", async () => {
    const visitor = await s.visitor("Pia");
    const { conversation } = await s.begin(visitor);
    await s.begin(visitor);
    expect(outcome(await send(visitor, conversation.id))).toBe("400 NOT_LATEST_CONVERSATION");
  });

  test("POST /messenger/api/conversations/{conversation_id}/messages 400 RESPONSE_RESTRICTED after a bot has ended the conversation", async () => {
    const visitor = await s.visitor("Quin");
    const { conversation } = await s.begin(visitor);
    await api(conversation.id, { actor_type: "bot", ...textMessage("Bye"), restrictResponse: true });
    expect(outcome(await send(visitor, conversation.id))).toBe("400 RESPONSE_RESTRICTED");
    expect((await read(visitor, conversation.id)).body.messages.at(-1)?.restrictResponse).toBe(true);
  });

  test("POST /messenger/api/conversations/{conversation_id}/messages 409 CONFLICT while the conversation changes constantly", async () => {
    const visitor = await s.visitor("Restless");
    const { conversation } = await s.begin(visitor);
    await s.sql(`create function lose() returns trigger language plpgsql as $$ begin return null; end $$`);
    await s.sql("create trigger lose before update on conversations for each row execute function lose()");
    const refused = outcome(await send(visitor, conversation.id));
    await s.sql("drop function lose cascade");
    expect(refused).toBe("409 CONFLICT");
  });

  test("POST /messenger/api/conversations/{conversation_id}/messages 403 VISITOR_BLOCKED, but reading goes on", async () => {
    const { visitor, id } = await blockedVisitor();
    expect(outcome(await send(visitor, id))).toBe("403 VISITOR_BLOCKED");
    expect((await read(visitor, id)).body.messages).toHaveLength(1);
  });

  test("POST /messenger/api/conversations/{conversation_id}/messages 404 CONVERSATION_NOT_FOUND for another visitor's", async () => {
    const other = await s.begin(await s.visitor("Stranger"), "Secret");
    expect(outcome(await send(await s.visitor("Rob"), other.conversation.id))).toBe("404 CONVERSATION_NOT_FOUND");
  });

  test("a visitor who sends more messages than the limit is refused until the next minute", async () => {
    const visitor = await s.visitor("Flood");
    const { conversation } = await s.begin(visitor);
    // The requests may be those of two minutes.
    const limit = 2 * MESSENGER_LIMITS.messages_per_minute;
    const replies = await Promise.all(Array.from({ length: limit + 1 }, () => send(visitor, conversation.id)));
    const refused = replies.filter(({ code }) => code === 429);
    expect(refused).not.toEqual([]);
    expect(replies.filter(({ code }) => code === 200)).toHaveLength(replies.length - refused.length);
    expect(refused[0]?.body.status).toBe("TOO_MANY_REQUESTS");
    expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
