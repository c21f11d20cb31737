import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { InboxOrder } from "@parley/contract";
import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { inboxHarness, type InboxAgent, type InboxHarness } from "./inbox-harness.ts";

const LIST = "/console/api/conversations";

let s: InboxHarness;
let me: InboxAgent;
let other: InboxAgent;
/** Conversations by the letter that tests call them by, in the order of their creation. */
const ids: Record<string, string> = {};
const lettersOf = (found: readonly string[]): string =>
  found.map((id) => Object.entries(ids).find(([, each]) => each === id)?.[0] ?? "?").join("");

beforeAll(async () => {
  s = await inboxHarness();
  const [sales = "", support = ""] = s.groups;
  me = await s.agent("Global", [sales]);
  other = await s.agent("Global", [sales, support]);
  const repeated = await s.user("Rita");
  const begin = async (letter: string, more: Parameters<InboxHarness["begin"]>[0] = {}) => {
    ids[letter] = await s.begin(more);
    // Times have a resolution of a millisecond.
    await setTimeout(5);
    return ids[letter];
  };
  await begin("a", { properties: { priority: "Low", cf_notes: "Rome: east", cf_products: ["Lamps", "Chairs"] } });
  await begin("b", { properties: { priority: "Urgent" }, channel_id: s.channels[1] ?? "" });
  await begin("c", { user_id: repeated });
  await begin("d", { properties: { priority: "High" } });
  await begin("e");
  await begin("f", { properties: { priority: "Medium" }, user_id: repeated });
  const at = (letter: string) => ids[letter] ?? "";
  await s.change(at("a"), { status: "assigned", assigned_agent_id: me.id });
  await s.change(at("b"), { status: "assigned", assigned_agent_id: other.id, assigned_group_id: support });
  await s.change(at("c"), { status: "resolved" });
  await s.change(at("d"), { assigned_group_id: sales });
  await s.answer(at("b"), other);
  await setTimeout(5);
  await s.ask(at("a"));
  await s.mark(me, at("e"), true);
});
afterAll(() => s.close());

describe("GET /console/api/conversations 200 lists the conversations of a view:", () => {
  // Newest activity first: a has a new message, b an answer.
  const FILTERS: readonly (readonly [query: string, letters: string])[] = [
    ["", "abfed"],
    ["status=open", "abfed"],
    ["status=all", "abcfed"],
    ["status=new", "fed"],
    ["status=assigned", "ab"],
    ["status=resolved", "c"],
    ["agent=me", "a"],
    ["agent=OTHER", "b"],
    ["agent=none", "fed"],
    ["agent=unknown", ""],
    ["agent=00000000-0000-4000-8000-000000000000", ""],
    ["group=mine", "d"],
    ["group=SALES", "d"],
    ["group=SUPPORT", "b"],
    ["group=none", "afe"],
    ["group=unknown", ""],
    ["agent=none&group=SALES", "d"],
    ["agent=me&group=SUPPORT", ""],
    ["channel=SECOND", "b"],
    ["channel=unknown", ""],
    ["priority=Urgent", "b"],
    ["priority=Low", "ea"],
    ["priority=unknown", ""],
    ["property=cf_notes:Rome: east", "a"],
    ["property=cf_notes:Rome", ""],
    ["property=cf_products:Chairs", "a"],
    ["property=cf_products:Tables", ""],
    ["property=cf_reason:Rome: east", ""],
    ["user=REPEATED&status=all", "cf"],
    ["user=REPEATED", "f"],
    ["user=unknown", ""],
    ["unread=true", "abfd"],
    ["unread=false", "e"],
    ["unread=true&agent=me", "a"],
  ];
  test.each(FILTERS)("%s", async (text, letters) => {
    const { user_id = "" } = await s.client.conversations.getConversation({
      params: { conversation_id: ids["c"] ?? "" },
    });
    const [sales = "", support = ""] = s.groups;
    const names = { OTHER: other.id, SALES: sales, SUPPORT: support, SECOND: s.channels[1] ?? "", REPEATED: user_id };
    const query = Object.fromEntries(
      [...new URLSearchParams(text)].map(([name, value]) => [name, names[value as keyof typeof names] ?? value]),
    );
    expect(
      lettersOf(await s.list(me, query))
        .split("")
        .sort()
        .join(""),
    ).toBe(letters.split("").sort().join(""));
    expect((await s.pageOf(me, { ...query, limit: 1 })).total).toBe(letters.length);
  });
});

test("GET /console/api/conversations 200 lists those of some conversations that the view contains, with the total of the view", async () => {
  const some = [...["a", "c", "f"].map((letter) => ids[letter] ?? ""), randomUUID(), "unknown"].join(",");
  const page = await s.pageOf(me, { ids: some });
  expect(lettersOf(page.conversations.map(({ conversation_id }) => conversation_id))).toBe("af");
  expect(page.total).toBe(5);
  expect(page.next).toBeUndefined();
  const oldest = await s.pageOf(me, { ids: some, status: "all", order: "oldest" });
  expect(lettersOf(oldest.conversations.map(({ conversation_id }) => conversation_id))).toBe("acf");
  const empty = await s.pageOf(me, { ids: randomUUID(), agent: "me" });
  expect(empty).toMatchObject({ conversations: [], total: 1 });
});

describe("GET /console/api/conversations 200 sorts a view:", () => {
  // Activity: c was resolved, then b was answered, then a asked. b does not wait, nor does c.
  const ORDERS: readonly (readonly [order: InboxOrder, letters: string])[] = [
    ["newest_activity", "abcfed"],
    ["oldest_activity", "defcba"],
    ["newest", "fedcba"],
    ["oldest", "abcdef"],
    ["priority", "bdface"],
    ["waiting", "adefbc"],
  ];
  test.each(ORDERS)("%s", async (order, letters) => {
    expect(lettersOf(await s.list(me, { order, status: "all" }))).toBe(letters);
    expect(lettersOf(await s.list(me, { order, status: "all", limit: 1 }))).toBe(letters);
    expect(lettersOf(await s.list(me, { order, status: "all", limit: 4 }))).toBe(letters);
  });

  test.each(ORDERS)("%s, by the positions of the conversations", async (order) => {
    const { conversations } = await s.pageOf(me, { order, status: "all" });
    const compared = conversations.toSorted(({ position: one }, { position: other }) => {
      const index = one.findIndex((value, place) => value !== other[place]);
      return (one[index] ?? 0) - (other[index] ?? 0);
    });
    expect(compared).toEqual(conversations);
  });

  test("a total comes with the first page only, and no cursor with the last one", async () => {
    const first = await s.pageOf(me, { status: "all", limit: 4 });
    const last = await s.pageOf(me, { status: "all", limit: 4, cursor: first.next ?? "" });
    expect([first.total, first.conversations.length, last.total, last.conversations.length, last.next]).toEqual([
      6,
      4,
      undefined,
      2,
      undefined,
    ]);
  });
});

test("GET /console/api/conversations lists what was committed just before, and each conversation once while messages arrive", async () => {
  const view = { status: "open", user: await s.user("Stable") };
  const begun: string[] = [];
  for (let index = 0; index < 9; index += 1) begun.push(await s.begin({ user_id: view.user }));
  expect((await s.pageOf(me, view)).total).toBe(9);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await s.pageOf(me, { ...view, limit: 2, ...(cursor && { cursor }) });
    seen.push(...page.conversations.map(({ conversation_id }) => conversation_id));
    cursor = page.next;
    // One that was listed already, and with it the top of the list, moves.
    await s.say(seen[0] ?? "", { actor_type: "bot" });
  } while (cursor !== undefined);
  expect(seen).toEqual(begun.toReversed());
});

const cursorText = (text: string) => Buffer.from(text).toString("base64url");
const BAD_CURSORS: readonly (readonly [name: string, cursor: string])[] = [
  ["no cursor", "next"],
  ["of another order", cursorText("1 oldest 1700000000000 1")],
  ["of another version", cursorText("2 newest_activity 1700000000000 1")],
  ["too short", cursorText("1 newest_activity 1700000000000")],
  ["too long", cursorText("1 newest_activity 1700000000000 1 1")],
  ["without numbers", cursorText("1 newest_activity now 1")],
  ["with a fraction", cursorText("1 newest_activity 1.5 1")],
  ["with a time beyond all times", cursorText("1 newest_activity 9000000000000000 1")],
  ["with a number beyond all numbers", cursorText("1 newest_activity 1 99999999999999999999")],
  ["SQL", cursorText("1 newest_activity 1 1);drop")],
  ["with padding", `${cursorText("1 newest_activity 1 1")}=`],
];
test.each(BAD_CURSORS)(
  "GET /console/api/conversations 400 INVALID_VALUE for a cursor that is %s",
  async (_, cursor) => {
    const { code, body } = await s.page("GET", `${LIST}?cursor=${encodeURIComponent(cursor)}`, { session: me.session });
    expect([code, body.status]).toEqual([400, "INVALID_VALUE"]);
  },
);

test.each(["status=reopened", "order=best", "limit=0", "limit=101", "unread=maybe", "property=priority:Low"])(
  "GET /console/api/conversations 400 INVALID_VALUE for %s",
  async (query) => {
    const { code, body } = await s.page("GET", `${LIST}?${query}`, { session: me.session });
    expect([code, body.status]).toEqual([400, "INVALID_VALUE"]);
  },
);

describe("one conversation:", () => {
  test("GET /console/api/conversations/{conversation_id} 200 shows the conversation, its customer and its newest message", async () => {
    const item = await s.item(me, ids["a"] ?? "");
    expect(item).toMatchObject({
      conversation_id: ids["a"],
      status: "assigned",
      channel_id: s.channels[0],
      assigned_agent_id: me.id,
      properties: { priority: "Low", cf_notes: "Rome: east", cf_products: ["Lamps", "Chairs"] },
      customer: { first_name: "Uma" },
      preview: { text: "And?", kind: "text", actor_type: "user", is_private: false },
      unread: 2,
    });
    expect(item.interaction_id).toMatch(new RegExp(`^${item.number}-`));
    expect(item.waiting_since).toBe(item.created_time);
    expect(item.activity_time).toBe(item.preview?.created_time);
  });

  test("200 is the same as in a list, and takes the number of the conversation", async () => {
    const [{ position: _position, ...listed } = { position: [], number: 0 }] = (await s.pageOf(me, { agent: "me" }))
      .conversations;
    expect(await s.item(me, String(listed.number))).toEqual(listed);
  });

  const PREVIEWS: readonly (readonly [name: string, message: object, preview: object])[] = [
    [
      "a long text",
      { message_parts: [{ text: { content: "😀".repeat(200) } }] },
      { text: "😀".repeat(160), kind: "text" },
    ],
    [
      "an image",
      { message_parts: [{ image: { url: "https://example.com/a.png" } }] },
      { text: "image", kind: "image" },
    ],
    [
      "an image and a text",
      { message_parts: [{ image: { url: "https://example.com/a.png" } }, { text: { content: "See" } }] },
      { text: "See", kind: "image" },
    ],
    [
      "a private note",
      { message_type: "private", message_parts: [{ text: { content: "Psst" } }] },
      { text: "Psst", is_private: true },
    ],
  ];
  test.each(PREVIEWS)("200 previews %s", async (_, message, preview) => {
    const id = await s.begin();
    await s.say(id, message);
    expect((await s.item(me, id)).preview).toMatchObject(preview);
  });

  test("200 previews no system message, while its time is the activity", async () => {
    const id = await s.begin({ text: "First" });
    const before = await s.item(me, id);
    await setTimeout(5);
    await s.change(id, { status: "resolved" });
    const after = await s.item(me, id);
    expect([after.preview?.text, after.status, after.waiting_since]).toEqual(["First", "resolved", undefined]);
    expect(after.activity_time > before.activity_time).toBe(true);
  });

  test("GET /console/api/conversations/{conversation_id} 404 CONVERSATION_NOT_FOUND for an unknown id", async () => {
    for (const id of ["00000000-0000-4000-8000-000000000000", "1", "x"]) {
      const { code, body } = await s.page("GET", `${LIST}/${id}`, { session: me.session });
      expect([code, body.status]).toEqual([404, "CONVERSATION_NOT_FOUND"]);
    }
  });
});

describe("a customer waits", () => {
  const isWaiting = async (id: string) => (await s.item(me, id)).waiting_since !== undefined;

  test("from the first message after an answer of an agent until the next one", async () => {
    const id = await s.begin();
    const first = (await s.item(me, id)).waiting_since;
    await s.ask(id);
    expect((await s.item(me, id)).waiting_since).toBe(first);
    await s.say(id, { actor_type: "bot" });
    await s.say(id, { actor_type: "agent", actor_id: me.id, message_type: "private" });
    expect((await s.item(me, id)).waiting_since).toBe(first);
    await s.answer(id, me);
    expect(await isWaiting(id)).toBe(false);
    await s.ask(id);
    const { waiting_since, preview } = await s.item(me, id);
    expect(waiting_since).toBe(preview?.created_time);
  });

  test("no longer once the conversation was resolved, and from the message that reopens it", async () => {
    const id = await s.begin();
    await s.change(id, { status: "resolved" });
    expect(await isWaiting(id)).toBe(false);
    await s.change(id, { status: "reopened" });
    expect(await isWaiting(id)).toBe(false);
    await s.change(id, { status: "resolved" });
    await s.ask(id);
    const { status, waiting_since, preview } = await s.item(me, id);
    expect([status, waiting_since]).toEqual(["new", preview?.created_time]);
  });
});
