import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import {
  accountRowsIn,
  type CatalogueTable,
} from "../../../../src/operations/administration/lifecycle/account-rows.ts";
import { deletionStore } from "../../../../src/operations/administration/lifecycle/deletion.sql.ts";
import { TABLES } from "../../../../src/base/db/tables.ts";
import { generateLoad, SERVICE_SCHEMA } from "../../../../src/index.ts";
import { conversationsHarness } from "../../../messaging/conversations/conversations-harness.ts";
import { SMALL_CHUNKS } from "../../../console/search/search-harness.ts";
import { filesOf } from "../../../messaging/users/personal-data-search.ts";
import { userDataFixture } from "../../../messaging/users/user-data-fixture.ts";
import { waitUntil } from "../../../../../../test/support/wait-until.ts";
import { fillOtherTables } from "./account-data-fixture.ts";
import { lifecycleHarness, MINUTE_MS, type LifecycleHarness } from "./lifecycle-harness.ts";

let s: LifecycleHarness;
let pool: Pool;
beforeAll(async () => {
  // An index with chunks, recent documents and a queue: bulk documents are not indexed during the test.
  const searchRules = { ...SMALL_CHUNKS, chunkSize: 7, bulkQuietMs: 3_600_000 };
  s = await lifecycleHarness({ isLocal: true, searchRules });
  pool = s.database.pool(SERVICE_SCHEMA, { max: 2 });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

const ACME_ID = 1001;
/** Tables that belong to the installation, and the audit log, which outlives accounts. */
const SHARED = [
  "audit_log",
  "inbox_backfill",
  "migrations",
  "projection_cursors",
  "search_backfill",
  "sign_in_attempts",
  "signing_keys",
];
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Rows that are projected, folded, delivered or performed in the background. */
const UNFINISHED = statement(
  "",
  `select (select count(*) from inbox_changes) + (select count(*) from user_rank_changes) + (select count(*) from due_work where due_time <= now())
          + (select count(*) from projection_cursors where seq < (select max(seq) from outbox)) as rows`,
);

/** Every row of every table as text. */
type Contents = ReadonlyMap<string, readonly string[]>;
const contents = async (): Promise<Contents> => {
  const tables = Object.keys(TABLES).filter((name) => !SHARED.includes(name));
  return new Map(
    await Promise.all(
      tables.map(async (name) => {
        const rows = await pool.rows<{ row: string }>(
          statement("", `select to_jsonb(t)::text as row from ${name} t order by 1`),
          [],
        );
        return [name, rows.map(({ row }) => row)] as const;
      }),
    ),
  );
};

const accountOf = (row: string): unknown => (JSON.parse(row) as { account_id?: unknown }).account_id;

/** Finds the rows of an account by their content, independently of the product's list of tables. */
const belongsTo = (all: Contents, accountId: number) => {
  const isOwn = (name: string, row: string) =>
    name === "accounts" ? (JSON.parse(row) as { id: number }).id === accountId : accountOf(row) === accountId;
  const ids = new Set(
    [...all].flatMap(([name, rows]) => rows.filter((row) => isOwn(name, row)).flatMap((row) => row.match(UUID) ?? [])),
  );
  return (name: string, row: string): boolean => {
    if (isOwn(name, row)) return true;
    if (accountOf(row) !== undefined) return false;
    if (new RegExp(`"account(?:_id)?\\\\?": ?${accountId}\\b`).test(row)) return true;
    return (row.match(UUID) ?? []).some((id) => ids.has(id));
  };
};

test("the deletion leaves no row and no object of the account, and every other row and object byte for byte", async () => {
  const fixture = await conversationsHarness({ database: s.database, objectsFolder: s.objectsFolder });
  await userDataFixture(fixture);
  await fixture.close();
  for (const account of ["acme", "twin"]) {
    await generateLoad({ database: s.database, account, users: 400, messages: 1_500, seed: 7 });
    await fillOtherTables(s, pool, account);
  }
  const twin = await s.admin.issueToken({ account: "twin", name: "test" });
  // Events are projected and delivered, and counts are folded: nothing changes by itself any more.
  const CHANGE = statement("", "insert into user_rank_changes values ($1, now(), 0, 0)");
  let before = await contents();
  await waitUntil(async () => {
    const earlier = before;
    const rest = await pool.one<{ rows: number }>(UNFINISHED, []);
    before = await contents();
    return rest?.rows === 0 && isDeepStrictEqual(earlier, before);
  });
  await pool.rows(CHANGE, [ACME_ID]);
  // The inbox works off no changes until this transaction ends.
  const holder = await s.database.connect(SERVICE_SCHEMA);
  await holder.script("begin; select from projection_cursors where name = 'inbox' for update");
  const NOTE = statement(
    "",
    "insert into inbox_changes (conversation_id, is_whole) select id, true from conversations where account_id = $1 limit 1",
  );
  await pool.rows(NOTE, [ACME_ID]);
  before = await contents();

  const isAcme = belongsTo(before, ACME_ID);
  const empty = [...before].filter(([name, rows]) => !rows.some((row) => isAcme(name, row)));
  expect(empty.map(([name]) => name)).toEqual([]);
  const files = await filesOf(s.objectsFolder);
  const isOfAcme = (path: string) =>
    path.startsWith(join(s.objectsFolder, "uploads", `${ACME_ID}/`)) ||
    path.startsWith(join(s.objectsFolder, "reports", `${ACME_ID}/`));
  expect([...files.keys()].filter(isOfAcme).length).toBeGreaterThan(4);
  expect([...files.keys()].filter((path) => !isOfAcme(path)).length).toBeGreaterThan(1);

  await s.closeAccount("acme", "?after_days=0");
  expect((await s.summaryOf("acme"))?.closed_time).toBeDefined();
  s.advance(3 * MINUTE_MS);
  await s.deleted("acme");

  const after = await contents();
  await holder.close();
  for (const [name, rows] of before)
    expect({ name, rows: after.get(name) }).toEqual({ name, rows: rows.filter((row) => !isAcme(name, row)) });
  const remaining = await filesOf(s.objectsFolder);
  expect(remaining).toEqual(new Map([...files].filter(([path]) => !isOfAcme(path))));
  const ENTRIES = statement(
    "",
    "select action, actor_type from audit_log where account = 'acme' order by time desc limit 1",
  );
  expect(await pool.rows(ENTRIES, [])).toEqual([{ action: "account.delete", actor_type: "system" }]);
  expect(await s.callWith(twin.token)).toBe("200");
  await waitUntil(async () => (await s.callWith(s.token)) === "401 UNAUTHENTICATED");
});

test("every table of a migrated database has a rule for the deletion of an account; a table without one stops it", async () => {
  const catalogue = await deletionStore(pool, (work) => work()).catalogue();
  expect(catalogue.map(({ name }) => name)).toEqual(Object.keys(TABLES).sort());
  const tables = accountRowsIn(catalogue).flatMap((rows) =>
    rows.kind === "own" ? [rows.table, ...rows.children.map(({ name }) => name)] : [rows.table],
  );
  expect([...tables, "accounts", ...SHARED].sort()).toEqual(Object.keys(TABLES).sort());
  const unknown: CatalogueTable = { name: "notes", hasAccount: false, references: [] };
  expect(() => accountRowsIn([...catalogue, unknown])).toThrow("notes");
  const added: CatalogueTable = { name: "notes", hasAccount: true, references: ["accounts", "agents"] };
  const order = accountRowsIn([...catalogue, added]).map(({ table }) => table);
  expect(order.indexOf("notes")).toBeLessThan(order.indexOf("agents"));
});
