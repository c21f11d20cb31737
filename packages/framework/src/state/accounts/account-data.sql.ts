import { setTimeout } from "node:timers/promises";
import { statement, type Db } from "@parley/database";

/** The tables whose rows belong to an account, as the catalogue of the database describes them. */
const TABLES = statement(
  "",
  `select t.relname as name
     from pg_class t join pg_attribute a on a.attrelid = t.oid and a.attname = 'account' and not a.attisdropped
    where t.relnamespace = to_regnamespace('parley_apps') and t.relkind in ('r', 'p')
    order by t.relname = 'closed_accounts', t.relname`,
);
const HAS_TABLE = statement("", "select to_regclass('parley_apps.' || $1::text) is not null as has_table");
const BLOCKS = statement(
  "",
  "select (pg_relation_size(('parley_apps.' || $1::text)::regclass) / current_setting('block_size')::bigint)::integer as blocks",
);
const REMOVE_FROM_CATALOGUES = statement(
  "",
  "update parley_apps.apps set accounts = array_remove(accounts, $1) where $1 = any (accounts)",
);
const CLOSE = statement("", "insert into parley_apps.closed_accounts (account) values ($1) on conflict do nothing");
const REOPEN = statement("", "delete from parley_apps.closed_accounts where account = $1");

/** Blocks of a table that one statement reads: not each table has an index by account, and a statement must be short. @units 8 kB */
const BLOCKS_PER_STEP = 64;
/** Pause after a step that has deleted rows: the database serves others meanwhile. @units milliseconds */
const STEP_PAUSE_MS = 5;

const quoted = (name: string): string => `parley_apps."${name.replaceAll('"', '""')}"`;

const deletionOf = (table: string, condition: string) =>
  statement(
    "",
    `with gone as (delete from ${quoted(table)} where account = $1 ${condition} returning 1) select count(*)::integer as count from gone`,
  );

const tablesOfAccounts = async (db: Db): Promise<string[]> =>
  (await db.rows<{ name: string }>(TABLES, [])).map(({ name }) => name);

const hasTable = async (db: Db, name: string): Promise<boolean> =>
  (await db.one<{ has_table: boolean }>(HAS_TABLE, [name]))?.has_table ?? false;

/** Deletes the rows of an account in short statements. A database without apps has no such tables. -> number of deleted rows */
export async function deleteAppDataOfAccount(db: Db, account: string, signal: AbortSignal): Promise<number> {
  let total = 0;
  // The mark of a closed account is deleted with the account itself.
  for (const table of (await tablesOfAccounts(db)).filter((name) => name !== "closed_accounts")) {
    const deletion = deletionOf(table, "and ctid >= $2::text::tid and ctid < $3::text::tid");
    const blocks = (await db.one<{ blocks: number }>(BLOCKS, [table]))?.blocks ?? 0;
    for (let block = 0; block < blocks; block += BLOCKS_PER_STEP) {
      signal.throwIfAborted();
      const range = [`(${block},0)`, `(${block + BLOCKS_PER_STEP},0)`];
      const count = (await db.one<{ count: number }>(deletion, [account, ...range]))?.count ?? 0;
      total += count;
      if (count > 0) await setTimeout(STEP_PAUSE_MS);
    }
  }
  return total;
}

/** Deletes the remaining data of an account, and its name in the catalogue: a later account of the same name finds nothing. */
export async function deleteAppRemainderOfAccount(tx: Db, account: string): Promise<void> {
  for (const table of await tablesOfAccounts(tx)) await tx.one(deletionOf(table, ""), [account]);
  if (await hasTable(tx, "apps")) await tx.rows(REMOVE_FROM_CATALOGUES, [account]);
}

/** Marks an account as closed or open. A closed account's installations don't run. Has no effect on a database without apps. */
export async function setAppAccountClosed(tx: Db, account: string, isClosed: boolean): Promise<void> {
  if (await hasTable(tx, "closed_accounts")) await tx.rows(isClosed ? CLOSE : REOPEN, [account]);
}
