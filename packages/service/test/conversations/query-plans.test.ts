import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../src/index.ts";
import { conversationsHarness, type ConversationsHarness } from "./conversations-harness.ts";

let s: ConversationsHarness;
beforeAll(async () => {
  s = await conversationsHarness();
});
afterAll(() => s.close());

const SCANS = statement(
  "",
  `select relname as name, seq_scan as whole, coalesce(idx_scan, 0) as keyed
   from pg_stat_user_tables where relname in ('messages', 'conversations') order by relname`,
);

test("frequent statements use no sequential scan, even if their plans were made for an empty table", async () => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  const first = await s.createConversation();
  const use = async () => {
    const { conversation_id: id, user_id } = await s.createConversation();
    const in_reply_to = { message_id: (await s.listMessages(id))[0]?.id ?? "" };
    await s.createMessage(id, { actor_type: "user", actor_id: user_id, in_reply_to });
    for (const status of ["resolved", "reopened"] as const) await s.updateConversation(id, { status });
    await s.getConversation(id);
    await s.createMessage(first.conversation_id, {});
  };
  for (let round = 0; round < 8; round++) await use();
  const look = () => pool.rows<{ name: string; whole: number; keyed: number }>(SCANS, []);
  let scans = await look();
  // A session reports its statistics of a statement within a second.
  for (let tries = 0; tries < 40 && !scans.every(({ keyed }) => keyed > 20); tries++) {
    await setTimeout(250);
    await use();
    scans = await look();
  }
  expect(scans.every(({ keyed }) => keyed > 20)).toBe(true);
  expect(scans.map(({ name, whole }) => ({ name, whole }))).toEqual([
    { name: "conversations", whole: 0 },
    { name: "messages", whole: 0 },
  ]);
});

const FETCHED = statement(
  "",
  `select coalesce(idx_tup_fetch, 0) as rows from pg_stat_user_tables where relname = 'messages'`,
);

test("a page reads as many messages as it contains, regardless of the conversation's length", async () => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  const { conversation_id } = await s.createConversation();
  await Promise.all(Array.from({ length: 400 }, () => s.createMessage(conversation_id, {})));
  const fetched = async () => (await pool.one<{ rows: number }>(FETCHED, []))?.rows ?? 0;
  // The projections read new messages too; sessions report their statistics within a second.
  let before = -1;
  for (let now = await fetched(); now !== before; now = await fetched()) {
    before = now;
    await setTimeout(2_500);
  }
  let pages = 0;
  for (let tries = 0; tries < 40 && (await fetched()) < before + 100; tries++) {
    for (let count = 0; count < 10; count++, pages++)
      await s.client.messages.listMessages({ params: { conversation_id }, query: { items_per_page: 5 } });
    await setTimeout(250);
  }
  const read = (await fetched()) - before;
  expect(read).toBeGreaterThanOrEqual(100);
  // Earlier statements may be reported only now: a few rows each, not 400 per page.
  expect(read).toBeLessThan(pages * 6 + 200);
});
