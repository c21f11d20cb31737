import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { SearchResults } from "@parley/contract";
import { refusalToken, UNKNOWN_ID } from "../../messaging/conversations/conversations-harness.ts";
import { marked, searchHarness, textOf, type SearchHarness } from "./search-harness.ts";

let s: SearchHarness;
let conversationId: string;
beforeAll(async () => {
  s = await searchHarness();
  conversationId = (await s.createConversation()).conversation_id;
  for (const text of [
    "The refund for order 4711 was paid on Monday",
    "Please refund my ORDER, it is broken",
    "Crème brûlée in der Straße kostet 5 Euro",
    "write to jane.doe@example.com for the invoice",
    "東京都に住んでいます",
    "猫が好きです。黒猫も",
    "สวัสดีครับ ขอบคุณ",
    "주문을 취소해 주세요",
    "order a refund",
    "refunding is slow",
  ])
    await s.say(conversationId, text);
  for (let index = 0; index < 30; index++) await s.say(conversationId, `filler number${index} common text`);
  await s.indexed();
});
afterAll(() => s.close());

describe("GET /search 200 finds messages", () => {
  test.each([
    ["a word, the newest first", "monday", ["The refund for order 4711 was paid on Monday"]],
    [
      "several words in any order",
      "order refund ",
      ["order a refund", "Please refund my ORDER, it is broken", "The refund for order 4711 was paid on Monday"],
    ],
    [
      "the beginning of the last word",
      "refun",
      [
        "refunding is slow",
        "order a refund",
        "Please refund my ORDER, it is broken",
        "The refund for order 4711 was paid on Monday",
      ],
    ],
    ["no beginning of another word", "refun order", []],
    ["a quoted phrase", '"refund my order"', ["Please refund my ORDER, it is broken"]],
    ["no phrase in another order", '"order refund"', []],
    ["words without an excluded one", "order refund -please -paid", ["order a refund"]],
    ["words without an excluded phrase", 'refund -"my order" -4711 -refunding', ["order a refund"]],
    ["a number", "4711", ["The refund for order 4711 was paid on Monday"]],
    ["words without accents", "creme brulee", ["Crème brûlée in der Straße kostet 5 Euro"]],
    ["words with other accents", "Strasse", ["Crème brûlée in der Straße kostet 5 Euro"]],
    ["an e-mail address", "jane.doe@example.com", ["write to jane.doe@example.com for the invoice"]],
    ["the beginning of an e-mail address", "jane.do", ["write to jane.doe@example.com for the invoice"]],
    ["Japanese inside of a text", "京都", ["東京都に住んでいます"]],
    ["a single character", "猫", ["猫が好きです。黒猫も"]],
    ["no Japanese in another order", "都東", []],
    ["Thai inside of a text", "ขอบ", ["สวัสดีครับ ขอบคุณ"]],
    ["a part of a Korean word", "취소", ["주문을 취소해 주세요"]],
    ["nothing for a word that does not occur", "nowhere", []],
    ["nothing for a text without words", "?!", []],
    ["nothing for excluded words alone", "-refund", []],
    ["nothing for a quotation mark", '"', []],
  ])("by %s: %j", async (_, q, expected) => {
    expect(await s.texts({ q })).toEqual(expected);
  });

  test("with the matches marked in the text around the first one", async () => {
    const { messages = [] } = await s.client.search.search({ query: { q: 'order "refund my', kinds: "messages" } });
    expect(messages.map(({ highlight }) => marked(highlight))).toEqual(["Please [refund] [my] [ORDER], it is broken"]);
    const long = await s.say(conversationId, `${"lead ".repeat(100)} needle <b>in</b> ${"tail ".repeat(100)}`);
    await s.indexed();
    const found = await s.client.search.search({ query: { q: "needle", kinds: "messages" } });
    expect(found.messages?.[0]?.message.id).toBe(long.id);
    const text = marked(found.messages?.[0]?.highlight ?? []);
    expect(text).toMatch(/^….*lead {2}\[needle\] <b>in<\/b> tail .*…$/);
    expect(text.length).toBeLessThan(220);
  });

  test("page by page with a cursor, each once", async () => {
    const all: string[] = [];
    let cursor: string | undefined;
    do {
      const page: SearchResults = await s.client.search.search({
        query: { q: "filler common", kinds: "messages", limit: 7, ...(cursor !== undefined && { cursor }) },
      });
      all.push(...(page.messages ?? []).map(({ message }) => textOf(message)));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(all).toEqual(Array.from({ length: 30 }, (_, index) => `filler number${29 - index} common text`));
  });

  test("of a conversation, by its id and by its number", async () => {
    const other = await s.createConversation();
    await s.say(other.conversation_id, "filler elsewhere");
    await s.indexed();
    for (const conversation_id of [other.conversation_id, String(other.conversation_internal_id)])
      expect(await s.texts({ q: "filler", conversation_id })).toEqual(["filler elsewhere"]);
    for (const conversation_id of [UNKNOWN_ID, "123456", "no-id"])
      expect(await s.texts({ q: "filler", conversation_id })).toEqual([]);
  });

  test("of a channel", async () => {
    expect(await s.texts({ q: "monday", channel_id: s.channel.id })).toHaveLength(1);
    for (const channel_id of [UNKNOWN_ID, "no-id"]) expect(await s.texts({ q: "monday", channel_id })).toEqual([]);
  });

  test("of a period: from_time is inclusive, to_time exclusive", async () => {
    const messages = await s.listMessages(conversationId);
    const [first, second] = messages.filter((message) => textOf(message).startsWith("filler"));
    const from_time = first?.created_time ?? "";
    const later = messages.filter(
      (message) => message.created_time >= from_time && textOf(message).startsWith("filler"),
    );
    expect((await s.texts({ q: "filler common", limit: 50, from_time })).length).toBe(later.length);
    const to_time = second?.created_time ?? "";
    const earlier = messages.filter(
      (message) => message.created_time < to_time && textOf(message).startsWith("filler"),
    );
    expect((await s.texts({ q: "filler common", limit: 50, to_time })).length).toBe(earlier.length);
  });
});

describe("GET /search 200 finds users and conversations", () => {
  test("users by name, e-mail address, phone number and reference", async () => {
    const body = {
      first_name: "Zoë",
      last_name: "O'Brien",
      email: "zoe@wonder.example",
      phone: "+49 170 555-1234",
      reference_id: "CRM-0815",
    };
    const { id } = await s.client.users.createUser({ body });
    await s.indexed();
    for (const [q, highlight] of [
      ["zoe", "[Zoë] O'Brien · [zoe]@wonder.example"],
      ["zoe o'brien", "[Zoë] [O]'[Brien] · [zoe]@wonder.example"],
      ["wonder.exam", "zoe@[wonder].[example]"],
      ["5551234", "[+49 170 555-1234]"],
      ["1705551234", "[+49 170 555-1234]"],
      ["crm-0815", "[CRM]-[0815]"],
    ]) {
      const { users = [] } = await s.client.search.search({ query: { q: q ?? "", kinds: "users" } });
      expect(users.map(({ user, highlight }) => [user.id, marked(highlight)])).toEqual([[id, highlight]]);
    }
  });

  test("a user by the new name after a change, and no more by the old one", async () => {
    const { conversation_id, user_id } = await s.createConversation();
    await s.client.users.updateUser({ params: { user_id }, body: { last_name: "Formerly" } });
    await s.indexed();
    await s.client.users.updateUser({ params: { user_id }, body: { last_name: "Presently" } });
    await s.indexed();
    const search = (q: string) => s.client.search.search({ query: { q } });
    expect(await search("formerly")).toEqual({ messages: [], users: [], conversations: [] });
    const { users = [], conversations = [] } = await search("presently");
    expect(users.map(({ user }) => user.id)).toEqual([user_id]);
    expect(conversations.map(({ conversation }) => conversation.conversation_id)).toEqual([conversation_id]);
  });

  test("conversations by number, properties and user", async () => {
    const { conversation_id, conversation_internal_id } = await s.createConversation({
      properties: { cf_notes: "fragile porcelain" },
    });
    await s.indexed();
    for (const q of [String(conversation_internal_id), "porcelain"]) {
      const { conversations = [] } = await s.client.search.search({ query: { q, kinds: "conversations" } });
      expect(conversations.map(({ conversation }) => conversation.conversation_id)).toEqual([conversation_id]);
    }
    await s.updateConversation(conversation_id, { properties: { cf_notes: "sturdy oak" } });
    await s.indexed();
    const search = async (q: string) =>
      (await s.client.search.search({ query: { q, kinds: "conversations" } })).conversations?.length;
    expect(await search("porcelain")).toBe(0);
    expect(await search("sturdy")).toBe(1);
  });
});

describe("GET /search and other accounts and tokens", () => {
  test("GET /search 200 finds nothing of another account", async () => {
    expect(await s.solo.search.search({ query: { q: "refund" } })).toEqual({
      messages: [],
      users: [],
      conversations: [],
    });
  });

  const clientWith = async (permissions: readonly string[]) => {
    const { token } = await s.admin.issueToken({
      account: "acme",
      name: "few",
      permissions: [...permissions] as never,
    });
    return (query: string) =>
      fetch(`${s.url}/v2/search?${query}`, { headers: { authorization: `Bearer ${token}` } }).then(async (reply) => ({
        code: reply.status,
        body: (await reply.json()) as SearchResults & { status?: string },
      }));
  };

  test.each([
    [["message:read"], ["messages"]],
    [["user:read"], ["users"]],
    [
      ["conversation:read", "user:read"],
      ["users", "conversations"],
    ],
    [["channel:read"], []],
  ])(
    "GET /search 200 with the permissions %j returns %j, and FORBIDDEN for other kinds",
    async (permissions, kinds) => {
      const search = await clientWith(permissions);
      const { code, body } = await search("q=refund");
      expect([code, Object.keys(body).sort()]).toEqual([200, [...kinds].sort()]);
      for (const kind of ["messages", "users", "conversations"]) {
        const named = await search(`q=refund&kinds=${kind}`);
        expect([named.code, named.body.status]).toEqual(kinds.includes(kind) ? [200, undefined] : [403, "FORBIDDEN"]);
      }
    },
  );

  test("GET /search 400 MISSING_PARAMETER without words", async () => {
    const reply = await s.raw("GET", "/v2/search");
    expect([reply.status, ((await reply.json()) as { status: string }).status]).toEqual([400, "MISSING_PARAMETER"]);
  });

  test.each([
    ["an unknown kind", { kinds: "messages,agents" }],
    ["a cursor with several kinds", { cursor: "MTIz" }],
    ["a cursor that no page returned", { cursor: "abc", kinds: "users" }],
    ["users of a channel", { kinds: "users", channel_id: UNKNOWN_ID }],
    ["conversations of a conversation", { kinds: "conversations", conversation_id: UNKNOWN_ID }],
    ["too many results", { limit: 51 }],
  ])("GET /search 400 INVALID_VALUE for %s", async (_, query) => {
    expect(await refusalToken(s.client.search.search({ query: { q: "refund", ...query } }))).toBe("INVALID_VALUE");
  });
});
