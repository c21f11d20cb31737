import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import type { Message } from "@parley/contract";
import { createFindConversationId } from "../../../src/messaging/conversations/find.ts";
import { createAgentReach } from "../../../src/messaging/conversations/reach.sql.ts";
import { conversationStore } from "../../../src/messaging/conversations/store.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import type { DocumentKey } from "../../../src/console/search/documents.ts";
import { createFind, type FoundPage } from "../../../src/console/search/find.ts";
import { parseQuery } from "../../../src/console/search/query.ts";
import { importHarness, type ImportHarness } from "../../operations/transfer/import/import-harness.ts";
import { indexed, SMALL_CHUNKS, textOf } from "./search-harness.ts";

/** Searches that are over before they begin: each page must get further nevertheless. */

const USER = "01900000-0000-7000-8000-000000000001";
const CONVERSATION = "01900000-0000-7000-8000-000000000002";

let s: ImportHarness;
let pool: Pool;
let accountId: number;
let imported = 0;

/** Imports a message of a day in March 2024 for each text, and waits until the index has them. */
const importMessages = async (texts: Readonly<Record<number, string>>): Promise<void> => {
  const records = Object.entries(texts).map(([day, content]) => ({
    type: "message",
    id: `01900000-0000-7000-8000-0000000${String(10_000 + (imported += 1))}`,
    conversation_id: CONVERSATION,
    created_time: `2024-03-${day.padStart(2, "0")}T10:00:00.000Z`,
    actor_type: "user",
    actor_id: USER,
    message_parts: [{ text: { content } }],
  }));
  expect((await s.importRecords(records, "?account=acme")).last).toMatchObject({ refused: 0, done: true });
  await indexed(s);
};

/** More pages than a search that gets further can have here. */
const PAGES_MAX = 100;

const findAll = async (word: string): Promise<{ texts: string[]; partial: number }> => {
  const findId = createFindConversationId(conversationStore(pool));
  const find = createFind({ heavy: pool, reach: createAgentReach({ db: pool, findId }) });
  const texts: string[] = [];
  let [after, partial]: [DocumentKey | undefined, number] = [undefined, 0];
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const scope = { agent: undefined, channelId: undefined, conversationId: undefined, from: undefined };
    const request = { ...scope, accountId, query: parseQuery(`${word} `), after, limit: 50, deadline: 0 };
    const page: FoundPage<Message> = await find("messages", request);
    texts.push(...page.items.map(({ object }) => textOf(object)));
    partial += Number(page.isPartial);
    after = page.next;
    if (!after) return { texts, partial };
  }
  throw new Error(`The search goes on after ${PAGES_MAX} pages, at ${JSON.stringify(after)}.`);
};

beforeAll(async () => {
  s = await importHarness({ searchRules: SMALL_CHUNKS });
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  const account = await pool.one<{ id: number }>(statement("", "select id from accounts where name = 'acme'"), []);
  accountId = account?.id ?? 0;
  const { channels } = await s.client.channels.listChannels();
  const time = { created_time: "2024-03-01T00:00:00.000Z" };
  const conversation = { conversation_id: CONVERSATION, channel_id: channels[0]?.id, user_id: USER, status: "new" };
  const records = [
    { type: "user", id: USER, first_name: "Imported", ...time },
    { type: "conversation", ...conversation, ...time },
  ];
  expect((await s.importRecords(records, "?account=acme")).last).toMatchObject({ refused: 0, done: true });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

test("a search at its deadline returns what it has found, and goes on from there", async () => {
  const texts = Object.fromEntries(
    Array.from({ length: 28 }, (_, index) => [index + 1, `late${index % 3} number${index}`]),
  );
  await importMessages(texts);
  const { texts: found, partial } = await findAll("late1");
  expect(found).toEqual(Array.from({ length: 9 }, (_, index) => `late1 number${25 - index * 3}`));
  expect(partial).toBeGreaterThan(2);
});

test("a search at its deadline gets past a part of the index that spans the time of what it finds and contains none of it", async () => {
  await importMessages(Object.fromEntries([1, 4, 7, 10, 13, 16, 19, 22].map((day) => [day, `other day${day}`])));
  await importMessages({ 11: "spanned first", 12: "spanned second" });
  expect((await findAll("spanned")).texts).toEqual(["spanned second", "spanned first"]);
});
