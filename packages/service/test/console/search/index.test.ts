import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import fc from "fast-check";
import { generateLoad, SERVICE_SCHEMA } from "../../../src/index.ts";
import { readBlock } from "../../../src/console/search/blocks.ts";
import { wordsOf } from "../../../src/console/search/documents.ts";
import { matchesQuery, parseQuery } from "../../../src/console/search/query.ts";
import { importHarness } from "../../operations/transfer/import/import-harness.ts";
import { indexed, searchHarness, SMALL_CHUNKS, textOf, type SearchHarness } from "./search-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";

let s: SearchHarness;
let pool: Pool;
beforeAll(async () => {
  s = await searchHarness();
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

/** Every word of the documents that are not in a chunk yet, of all accounts. */
const recentWords = async (): Promise<Set<string>> =>
  new Set(
    (await pool.rows<{ words: string }>(statement("", "select words from search_recent"), [])).flatMap((row) =>
      row.words.split(" "),
    ),
  );

/** Every word of the index, of all accounts. */
const indexedWords = async (): Promise<Set<string>> => {
  const words = await recentWords();
  for (const { entries } of await pool.rows<{ entries: Uint8Array }>(
    statement("", "select entries from search_blocks"),
    [],
  ))
    for (const { term } of readBlock(entries)) words.add(term);
  return words;
};

const count = async (table: string): Promise<number> =>
  (await pool.one<{ count: number }>(statement("", `select count(*)::integer as count from ${table}`), []))?.count ?? 0;

/** Texts and queries of few words, so that many queries match something. */
const WORDS = ["alpha", "alphabet", "beta", "Bèta", "gamma", "γάμμα", "東京", "京都", "都", "x1", "日"];
const word = fc.constantFrom(...WORDS);
const text = fc
  .array(word, { minLength: 1, maxLength: 7 })
  .chain((words) =>
    fc
      .array(fc.constantFrom(" ", " ", "", "-", ". "), { minLength: words.length, maxLength: words.length })
      .map((gaps) => words.map((each, index) => each + (gaps[index] ?? "")).join("")),
  );
const queryItem = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 2, arbitrary: text.map((words) => `"${words}"`) },
  { weight: 1, arbitrary: word.map((each) => `-${each}`) },
  { weight: 1, arbitrary: word.map((each) => each.slice(0, 2)) },
);
const query = fc
  .tuple(fc.array(queryItem, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([items, isEnded]) => items.join(" ") + (isEnded ? " " : ""));

test("GET /search 200 finds exactly the messages that match, in their order, for random texts and queries", async () => {
  const texts = fc.sample(text, { numRuns: 120, seed: 5 });
  const { conversation_id } = await s.createConversation();
  for (const each of texts) await s.say(conversation_id, each);
  await s.indexed();
  expect(await count("search_chunks")).toBeGreaterThan(5);
  const messages = (await s.listMessages(conversation_id)).reverse();
  const found = new Set<number>();
  await fc.assert(
    fc.asyncProperty(query, async (q) => {
      const parsed = parseQuery(q);
      const expected = messages.filter((message) => matchesQuery(parsed, wordsOf({ fields: [textOf(message)] })));
      found.add(expected.length);
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await s.client.search.search({
          query: { q, kinds: "messages", conversation_id, limit: 50, ...(cursor !== undefined && { cursor }) },
        });
        ids.push(...(page.messages ?? []).map(({ message }) => message.id));
        cursor = page.next;
      } while (cursor !== undefined);
      // Messages of one millisecond are in the order of their ids.
      expect(ids).toEqual(
        expected
          .toSorted((a, b) => (a.created_time + a.id < b.created_time + b.id ? 1 : -1))
          .map((message) => message.id),
      );
    }),
    { numRuns: 100, seed: 5 },
  );
  expect(found.size).toBeGreaterThan(10);
});

describe("the deletion of a user", () => {
  test("removes the user's words from the index at once, and keeps others' texts and the conversation's number", async () => {
    const user = await s.client.users.createUser({
      body: { first_name: "Erasmus7q", last_name: "Secretname7q", email: "erasmus7q@mail7q.example" },
    });
    const { conversation_id, conversation_internal_id } = await s.client.conversations.createConversation({
      body: {
        channel_id: s.channel.id,
        users: [{ id: user.id }],
        messages: [
          { actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: "my diagnosis7q is flu" } }] },
        ],
        properties: { cf_notes: "allergic7q" },
      },
    });
    await s.say(conversation_id, "Dear Secretname7q, the answer is agentword7q");
    // The first names and texts are in chunks, the later names and texts among the recent documents.
    for (let index = 0; index < 20; index++) await s.createConversation();
    await s.indexed();
    // A full chunk is made after the documents are indexed. A change before it would replace the document with the first name.
    await waitUntil(async () => !(await recentWords()).has("erasmus7q"));
    await s.client.users.updateUser({ params: { user_id: user.id }, body: { first_name: "Renamed7q" } });
    await s.updateConversation(conversation_id, { properties: { cf_notes: "vegan7q" } });
    await s.indexed();
    const traces = ["erasmus7q", "secretname7q", "mail7q", "diagnosis7q", "allergic7q", "renamed7q", "vegan7q"];
    const missing = async () => {
      const words = await indexedWords();
      return traces.filter((trace) => !words.has(trace));
    };
    // A change of properties is in no event: it waits in a queue.
    await waitUntil(async () => (await missing()).length === 0);
    await s.client.users.deleteUser({ params: { user_id: user.id } });
    const words = await indexedWords();
    expect(traces.filter((trace) => words.has(trace))).toEqual([]);
    await s.indexed();
    const afterwards = await indexedWords();
    expect(traces.filter((trace) => afterwards.has(trace))).toEqual([]);
    for (const q of traces)
      expect(await s.client.search.search({ query: { q } })).toEqual({ messages: [], users: [], conversations: [] });
    expect(await s.texts({ q: "agentword7q" })).toEqual(["Dear [removed], the answer is agentword7q"]);
    const { conversations = [] } = await s.client.search.search({
      query: { q: String(conversation_internal_id), kinds: "conversations" },
    });
    expect(conversations.map(({ conversation }) => conversation.conversation_id)).toEqual([conversation_id]);
  });
});

describe("documents without an event", () => {
  test("rows that existed before the index, and generated ones, are found", async () => {
    await generateLoad({ database: s.database, account: "load", users: 30, messages: 200, seed: 3 });
    const id = (await pool.one<{ id: number }>(statement("", "select id from accounts where name = 'load'"), []))?.id;
    const { token } = await s.admin.issueToken({ account: "load", name: "test" });
    const found = async (): Promise<number> => {
      await s.indexed();
      const reply = await fetch(`${s.url}/v2/search?q=resolved+order+where+t&limit=50`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const all = (await reply.json()) as Record<string, unknown[]>;
      const users = await fetch(`${s.url}/v2/search?q=a&kinds=users&limit=50`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect([reply.status, users.status, Object.keys(all)]).toEqual([
        200,
        200,
        ["messages", "users", "conversations"],
      ]);
      return ((await users.json()) as { users: unknown[] }).users.length;
    };
    const first = await found();
    expect(first).toBeGreaterThan(3);
    // As a database of an earlier release: no index, and rows.
    for (const table of ["search_recent", "search_chunks", "search_blocks"])
      await pool.rows(statement("", `delete from ${table} where account_id = $1`), [id]);
    await pool.rows(statement("", "update search_backfill set next_block = 0, is_done = false"), []);
    expect(await found()).toBe(first);
  });

  test("imported messages, users and conversations are found in the order of their time, and changed ones by their new text", async () => {
    const i = await importHarness({ searchRules: SMALL_CHUNKS });
    try {
      const exported = (await i.exportRecords("?account=acme")).records;
      const account = exported.find((record) => record.type === "account");
      expect(account).toBeDefined();
      const { channels } = await i.client.channels.listChannels();
      const user = "01900000-0000-7000-8000-000000000001";
      const conversation = "01900000-0000-7000-8000-000000000002";
      const message = (index: number, content: string) => ({
        type: "message",
        id: `01900000-0000-7000-8000-0000000001${String(index).padStart(2, "0")}`,
        conversation_id: conversation,
        created_time: `2024-03-${String(28 - index).padStart(2, "0")}T10:00:00.000Z`,
        actor_type: "user",
        actor_id: user,
        message_parts: [{ text: { content } }],
      });
      const records = [
        { type: "user", id: user, first_name: "Imported", created_time: "2024-03-01T00:00:00.000Z" },
        {
          type: "conversation",
          conversation_id: conversation,
          channel_id: channels[0]?.id,
          user_id: user,
          status: "new",
          created_time: "2024-03-01T00:00:00.000Z",
        },
        ...Array.from({ length: 20 }, (_, index) => message(index, `history number${index}`)),
      ];
      const result = await i.importRecords(records, "?account=acme");
      expect(result.last).toMatchObject({ refused: 0, done: true });
      await indexed(i);
      const search = async (q: string) => i.client.search.search({ query: { q, limit: 50 } });
      const { messages = [] } = await search("history");
      expect(messages.map(({ message: found }) => textOf(found))).toEqual(
        Array.from({ length: 20 }, (_, index) => `history number${index}`),
      );
      const byName = await search("imported");
      expect([byName.users?.length, byName.conversations?.length]).toEqual([1, 1]);
      await i.importRecords([message(3, "history corrected")], "?account=acme&present=update");
      await indexed(i);
      expect((await search("number3 ")).messages).toEqual([]);
      expect((await search("corrected")).messages).toHaveLength(1);
    } finally {
      await i.close();
    }
  });
});

test("a chunk of more documents than are read at a time contains the oldest ones, each once", async () => {
  const chunkSize = 1_200;
  const large = await searchHarness({ searchRules: { ...SMALL_CHUNKS, chunkSize } });
  const rows = large.database.pool(SERVICE_SCHEMA, { max: 1 });
  try {
    const { conversation_id } = await large.createConversation();
    const say = (number: number) => large.say(conversation_id, `mail n${number}`);
    for (let start = 0; start < chunkSize - 50; start += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => say(start + index)));
    // One after the other, so that those of the chunk are older than the others.
    for (let number = chunkSize - 50; number < chunkSize + 50; number++) await say(number);
    await large.indexed();
    const chunks = `select size, (newest_time, newest_id) < (r.created_time, r.id) as is_older
                      from search_chunks c
                     cross join (select created_time, id from search_recent where kind = 1 order by created_time, id limit 1) r
                     where c.kind = 1`;
    // The chunk is made in a transaction of its own, after the documents are in the index.
    await waitUntil(async () => (await rows.rows(statement("", chunks), [])).length > 0);
    expect(await rows.rows(statement("", chunks), [])).toEqual([{ size: chunkSize, is_older: true }]);
    for (const number of [0, 511, 512, 1_023, 1_024, chunkSize - 1, chunkSize])
      expect(await large.texts({ q: `n${number}` })).toEqual([`mail n${number}`]);
  } finally {
    await rows.end();
    await large.close();
  }
});
