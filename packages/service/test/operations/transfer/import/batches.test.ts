import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Database } from "@parley/database";
import { exportLines, SERVICE_SCHEMA } from "../../../../src/index.ts";
import { importHarness, type ImportHarness } from "./import-harness.ts";

let d: ImportHarness;
beforeAll(async () => {
  d = await importHarness();
  for (const name of ["shop", "twice", "wrong", "ranks", "faster"])
    await d.applyOrThrow({ name, channels: [{ name: "Inbox" }] });
});
afterAll(() => d.close());

const AT = "2024-05-01T10:00:00.000Z";
/** More than one transaction contains. */
const MANY = 2_500;

const user = (id: string) => ({ type: "user", id, created_time: AT });
const conversation = (id: string, user_id: string) => ({
  type: "conversation",
  conversation_id: id,
  channel_id: "Inbox",
  user_id,
  created_time: AT,
});
const message = (id: string, conversation_id: string, content = id) => ({
  type: "message",
  id,
  conversation_id,
  actor_type: "user",
  message_parts: [{ text: { content } }],
  created_time: AT,
});
const numbered = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

test("POST /admin/import 200 keeps the order of a conversation's messages across batches, and each batch sees those before it", async () => {
  const records = [user("u"), conversation("c", "u"), ...numbered(MANY, (index) => message(`m-${index}`, "c"))];
  const { last } = await d.importRecords(records, "?account=shop");
  expect(last).toMatchObject({ line: MANY + 2, done: true, created: MANY + 2, refused: 0 });
  const { records: input } = await d.exportRecords("?account=shop");
  const parts = input.flatMap((record) => (record.type === "message" ? [record.message_parts?.[0]] : []));
  expect(parts).toEqual(numbered(MANY, (index) => ({ text: { content: `m-${index}` } })));
});

test("POST /admin/import 200 ends at a refused line of a later batch, and imports nothing after it", async () => {
  const records = numbered(MANY, (index) => user(`w-${index}`));
  const wrong = conversation("c-w", "nobody");
  const { lines, last } = await d.importRecords(
    [...records, wrong, ...numbered(MANY, (index) => user(`later-${index}`))],
    "?account=wrong",
  );
  expect(lines.find((line) => line.problem)?.problem).toMatchObject({ line: MANY + 1, status: "USER_NOT_FOUND" });
  expect(last).toMatchObject({ line: MANY, done: false, created: MANY, refused: 1 });
  expect(await d.countRows("users", "reference_id like 'w-%'")).toBe(MANY);
  expect(await d.countRows("users", "reference_id like 'later-%'")).toBe(0);
});

test("POST /admin/import 200 imports each record once when the same file is imported twice concurrently", async () => {
  const records = numbered(MANY, (index) => [
    user(`t-${index}`),
    conversation(`t-${index}`, `t-${index}`),
    message(`t-${index}`, `t-${index}`),
  ]).flat();
  const both = await Promise.all([
    d.importRecords(records, "?account=twice"),
    d.importRecords(records, "?account=twice"),
  ]);
  for (const { last } of both) expect(last).toMatchObject({ line: records.length, done: true, refused: 0 });
  expect(both.reduce((sum, { last }) => sum + last.created, 0)).toBe(records.length);
  expect(both.reduce((sum, { last }) => sum + last.unchanged, 0)).toBe(records.length);
  expect(await d.countRows("conversations", "account_id = (select id from accounts where name = 'twice')")).toBe(MANY);
});

test("POST /admin/import 200 updates the counts that lists use", async () => {
  const { last } = await d.importRecords(
    numbered(MANY, (index) => user(`r-${index}`)),
    "?account=ranks",
  );
  expect(last).toMatchObject({ done: true, created: MANY });
  const ofAccount = "account_id = (select id from accounts where name = 'ranks')";
  expect(await d.countRows("user_rank_changes", ofAccount)).toBe(0);
  expect(await d.countRows("user_ranks", `${ofAccount} and count > 0`)).toBeGreaterThan(1);
});

test("POST /admin/import 200 continues if another request creates an id first, and later lines see the result", async () => {
  const id = "3f0c7f5e-5a0b-4c59-9a2e-6a4f8a1f7b11";
  const pool = d.database.pool(SERVICE_SCHEMA, { max: 2 });
  const waits = statement(
    "",
    `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%into users%'`,
  );
  const add = statement(
    "",
    `insert into users (id, account_id, created_time, updated_time, body)
     select $1, id, now(), now(), '{}' from accounts where name = 'faster'`,
  );
  const records = [
    user(id),
    // Each batch refers to users of the previous one.
    ...numbered(MANY, (index) => [
      user(`f-${index}`),
      conversation(`f-${index}`, `f-${Math.max(0, index - 100)}`),
    ]).flat(),
  ];
  const result = await pool.transaction(async (tx) => {
    await tx.rows(add, [id]);
    const taking = d.importRecords(records, "?account=faster&present=keep");
    while ((await pool.one<{ count: number }>(waits, []))?.count === 0) await new Promise(setImmediate);
    // In the meantime the next batch is read and looks up ids behind the waiting one.
    for (let turn = 0; turn < 100; turn++) await pool.one(waits, []);
    return { taking };
  });
  const { last, lines } = await result.taking;
  await pool.end();
  expect(lines.find((line) => line.problem)).toBeUndefined();
  expect(last).toMatchObject({ line: records.length, done: true, created: records.length - 1, unchanged: 1 });
});

test("GET /admin/export reads the settings of many accounts at once: accounts without records need no statements of their own", async () => {
  const countStatements = async (): Promise<{ statements: number; accounts: number }> => {
    let statements = 0;
    const database: Database = {
      ...d.database,
      connect: async (schema) => {
        const connection = await d.database.connect(schema);
        return {
          ...connection,
          rows: (...asked) => {
            statements += 1;
            return connection.rows(...asked);
          },
        };
      },
    };
    let text = "";
    for await (const lines of await exportLines({ database })) text += lines;
    return { statements, accounts: text.split('"type":"account"').length - 1 };
  };
  const few = await countStatements();
  for (let index = 0; index < 30; index += 1) await d.applyOrThrow({ name: `empty-${index}` });
  const many = await countStatements();
  expect(many).toEqual({ statements: few.statements, accounts: few.accounts + 30 });
});
