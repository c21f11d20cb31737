import { beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { UNKNOWN_ID, refusalToken, conversationsHarness, textParts } from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

let now = Date.UTC(2026, 0, 1);
let id = "";
/** Ids, newest first. */
let newest: string[] = [];
const TOTAL = 55;

const s = fileFixture(() => conversationsHarness({ ports: { now: () => new Date(now) } }));
beforeAll(async () => {
  const created = await s.createConversation();
  id = created.conversation_id;
  newest = [created.messages[0]?.id ?? ""];
  for (let count = 1; count < TOTAL; count++) {
    now += 1_000;
    newest.unshift((await s.createMessage(id, { message_parts: textParts(String(count)) })).id);
  }
});

interface Listed {
  messages: { id: string }[];
  link?: { rel: string; href: string };
}
const list = async (path: string): Promise<Listed> => (await s.raw("GET", path)).json() as Promise<Listed>;
const idsOf = ({ messages }: Listed) => messages.map((message) => message.id);

test("GET /conversations/{conversation_id}/messages answers 200 with the 20 newest, newest first, and a link to the next page", async () => {
  const page = await list(`/v2/conversations/${id}/messages`);
  expect(idsOf(page)).toEqual(newest.slice(0, 20));
  expect(Object.keys(page).sort()).toEqual(["link", "messages"]);
  expect(page.link?.rel).toBe("message");
  expect(page.link?.href).toMatch(new RegExp(`^/v2/conversations/${id}/messages\\?`));
});

test("GET /conversations/{conversation_id}/messages?sort_order=asc lists the oldest first, page by page", async () => {
  const seen: string[] = [];
  let path: string | undefined = `/v2/conversations/${id}/messages?sort_order=asc&items_per_page=11`;
  for (let pages = 0; path && pages < 10; pages++) {
    const page: Listed = await list(path);
    seen.push(...idsOf(page));
    path = page.link?.href;
  }
  expect(seen).toEqual(newest.toReversed());
  expect(idsOf(await list(`/v2/conversations/${id}/messages?sort_order=desc`))).toEqual(newest.slice(0, 20));
  expect((await s.raw("GET", `/v2/conversations/${id}/messages?sort_order=up`)).status).toBe(400);
});

test("GET /conversations/{conversation_id}/messages has a link on every page except the last", async () => {
  const seen: string[] = [];
  let path: string | undefined =
    `/v2/conversations/${id}/messages?items_per_page=11&from_time=2026-01-01T00%3A00%3A00.000Z`;
  for (let pages = 0; path && pages < 10; pages++) {
    const page: Listed = await list(path);
    seen.push(...idsOf(page));
    expect(idsOf(page)).toHaveLength(11);
    path = page.link?.href;
    if (path) expect(path).toContain("from_time=2026-01-01T00%3A00%3A00.000Z");
  }
  expect(seen).toEqual(newest);
});

test("a client that reads all pages gets each message of the first page's time exactly once, while others arrive", async () => {
  const { conversation_id, messages } = await s.createConversation();
  const before = [messages[0]?.id];
  for (let count = 1; count < 23; count++) before.unshift((await s.createMessage(conversation_id, {})).id);
  const seen: string[] = [];
  let path: string | undefined = `/v2/conversations/${conversation_id}/messages?items_per_page=5`;
  while (path) {
    const page: Listed = await list(path);
    seen.push(...idsOf(page));
    path = page.link?.href;
    await Promise.all([
      s.createMessage(conversation_id, {}),
      s.createMessage(conversation_id, {}),
      s.createMessage(conversation_id, {}),
    ]);
  }
  expect(seen).toEqual(before);
  // Without the upper bound in the link the pages would shift.
  const first = await list(`/v2/conversations/${conversation_id}/messages?items_per_page=5`);
  await s.createMessage(conversation_id, {});
  const unbound = await list(`/v2/conversations/${conversation_id}/messages?items_per_page=5&page=2`);
  expect(idsOf(unbound)[0]).toBe(idsOf(first).at(-1));
});

describe("GET /conversations/{conversation_id}/messages accepts", () => {
  test.each<[string, string, number, number, boolean]>([
    ["a page size", "items_per_page=50", 0, 50, true],
    ["a page size over 50", "items_per_page=9999", 0, 50, true],
    ["a page", "page=2&items_per_page=50", 50, 55, false],
    ["a page beyond the end", "page=99", 55, 55, false],
    ["a page far beyond the end", "page=999999999999999", 55, 55, false],
    ["a page that ends with the list", "page=5&items_per_page=11", 44, 55, false],
    ["from_time, inclusive", "from_time=2026-01-01T00:00:50.000Z", 0, 5, false],
    ["from_time with another zone", "from_time=2026-01-01T01:00:50.000%2B01:00", 0, 5, false],
    ["from_time before all times", "from_time=0000-01-01T00:00:00.000Z", 0, 20, true],
    ["from_time after all times", "from_time=9999-12-31T23:59:59.999Z", 0, 0, false],
    ["from_time after the end", "from_time=2026-01-02T00:00:00.000Z", 0, 0, false],
    ["from_time with pages", "from_time=2026-01-01T00:00:50.000Z&items_per_page=2&page=2", 2, 4, true],
  ])("%s", async (_title, query, from, to, more) => {
    const page = await list(`/v2/conversations/${id}/messages?${query}`);
    expect(idsOf(page)).toEqual(newest.slice(from, to));
    expect("link" in page).toBe(more);
  });
});

test("GET /conversations/{conversation_id}/messages refuses parameters of the wrong type", async () => {
  for (const query of [
    "page=0",
    "page=x",
    "items_per_page=0",
    "from_time=yesterday",
    "until=-1",
    "until=now",
    "from_time=2026-13-01T00:00:00.000Z",
  ])
    expect((await s.raw("GET", `/v2/conversations/${id}/messages?${query}`)).status).toBe(400);
});

test("GET /conversations/{conversation_id}/messages refuses an unknown id and another account's with CONVERSATION_NOT_FOUND", async () => {
  const listOf = (conversation_id: string, client = s.client) =>
    refusalToken(client.messages.listMessages({ params: { conversation_id }, query: {} }));
  for (const call of [listOf(UNKNOWN_ID), listOf("12"), listOf(id, s.solo)])
    expect(await call).toBe("CONVERSATION_NOT_FOUND");
});

test("concurrent clients get the pages of their own conversations", async () => {
  const other = await s.createConversation();
  const responses = await Promise.all(
    Array.from({ length: 120 }, async (_, index) => {
      const page = (index % 6) + 1;
      const own = index % 4 === 3;
      const { conversation_id } = own ? other : { conversation_id: id };
      const ids = idsOf(await list(`/v2/conversations/${conversation_id}/messages?page=${page}&items_per_page=10`));
      const all = own ? other.messages.map((message) => message.id) : newest;
      return [ids, all.slice((page - 1) * 10, page * 10)];
    }),
  );
  for (const [ids, expected] of responses) expect(ids).toEqual(expected);
});

describe("GET /conversations/{conversation_id}/messages for a long conversation", () => {
  const COUNT = 2_350;
  const COPY = statement(
    "",
    `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select gen_random_uuid(), conversation_id, nextval('log_positions'), created_time + number * interval '1 s', interaction_id,
            jsonb_set(body::jsonb, '{id}', to_jsonb(number::text))::text
       from messages, generate_series(1, $2::integer) as number
      where conversation_id = $1`,
  );
  let far = "";
  beforeAll(async () => {
    far = (await s.createConversation()).conversation_id;
    await s.database.pool(SERVICE_SCHEMA, { max: 1 }).rows(COPY, [far, COUNT - 1]);
  });

  test.each([
    ["", COUNT],
    ["&from_time=2026-01-01T00:01:04.500Z", undefined],
  ])("leads through all pages%s, including those far from the newest", async (more, all) => {
    const seen: string[] = [];
    let path: string | undefined = `/v2/conversations/${far}/messages?items_per_page=50${more}`;
    while (path) {
      const page: Listed = await list(path);
      seen.push(...idsOf(page));
      path = page.link?.href;
    }
    expect(seen.length).toBeGreaterThan(2_000);
    if (all !== undefined) expect(seen).toHaveLength(all);
    expect(seen.slice(0, 2_000)).toEqual(Array.from({ length: 2_000 }, (_, index) => String(COUNT - 1 - index)));
  });

  test("answers 404 CONVERSATION_NOT_FOUND for another account's", async () => {
    const path = `/conversations/${UNKNOWN_ID}/messages?page=500`;
    expect((await s.raw("GET", `/v2${path}`)).status).toBe(404);
    await expect(
      s.solo.messages.listMessages({ params: { conversation_id: far }, query: { page: 500 } }),
    ).rejects.toThrow(/CONVERSATION_NOT_FOUND/);
  });
});
