import { expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { flushStatistics } from "../../flush-statistics.ts";
import { conversationsHarness } from "./conversations-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationsHarness);

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
  await flushStatistics(pool);
  const scans = await look();
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
  await flushStatistics(pool);
  const before = await fetched();
  const pages = 100;
  for (let count = 0; count < pages; count++)
    await s.client.messages.listMessages({ params: { conversation_id }, query: { items_per_page: 5 } });
  await flushStatistics(pool);
  const read = (await fetched()) - before;
  expect(read).toBeGreaterThanOrEqual(pages * 5);
  // The projections read each new message a few times too.
  expect(read).toBeLessThan(pages * 6 + 400 * 10);
});
