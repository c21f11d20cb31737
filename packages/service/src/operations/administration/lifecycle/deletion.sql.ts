import { statement, type Db } from "@parley/database";
import type { AccountRows, CatalogueTable } from "./account-rows.ts";

const CATALOGUE = statement(
  "",
  `select t.relname as name,
          exists (select from pg_attribute a
                   where a.attrelid = t.oid and a.attname = 'account_id' and not a.attisdropped) as "hasAccount",
          array(select other.relname::text
                  from pg_constraint f
                  join pg_class other on other.oid = f.confrelid
                 where f.contype = 'f' and f.conrelid = t.oid) as references
     from pg_class t
    where t.relnamespace = current_schema()::text::regnamespace and t.relkind in ('r', 'p')
    order by t.relname`,
);
const BLOCKS = statement(
  "",
  `select (pg_relation_size($1::text::regclass) / current_setting('block_size')::bigint)::integer as blocks`,
);
/** Class of the advisory locks of deletions; the second number is the account. */
const DELETION_LOCK_CLASS = 0x7061_7204;
const LOCK = statement("", `select pg_try_advisory_lock(${DELETION_LOCK_CLASS}, $1::integer) as is_locked`);

/** Blocks of a table that one statement reads. @units 8 kB */
const BLOCKS_PER_STEP = 64;
/** Rows that one statement deletes from a table of children. */
const CHILDREN_PER_STEP = 5_000;

/** A range of blocks. A table is walked by its blocks, since not each has an index by account, and a step must be short. */
const RANGE = "ctid >= $2::text::tid and ctid < $3::text::tid";
const rangeFrom = (block: number): readonly [string, string] => [`(${block},0)`, `(${block + BLOCKS_PER_STEP},0)`];

/** Counts the rows of a statement that deletes. */
const counted = (deletion: string) =>
  statement("", `with gone as (${deletion} returning 1) select count(*)::integer as count from gone`);

const countOf = async (db: Db, ...args: Parameters<Db["one"]>): Promise<number> =>
  (await db.one<{ count: number }>(...args))?.count ?? 0;

type OwnRows = Extract<AccountRows, { kind: "own" }>;

/**
 * Statements that delete the rows of one account, a few at a time. `inTransaction` runs one on the same connection.
 * A parent row is locked before its children are deleted: who adds a child changes the parent, and finds it gone afterwards.
 */
export const deletionStore = (db: Db, inTransaction: <T>(work: () => Promise<T>) => Promise<T>) => {
  const deleteChildren = async ({ table, children }: OwnRows, accountId: number, range: readonly [string, string]) => {
    let count = 0;
    for (const { name, column } of children) {
      const deletion = counted(
        `delete from ${name}
          where ctid = any(array(
            select child.ctid
              from (select id from ${table} where ${RANGE} and account_id = $1) parent
              join ${name} child on child.${column} = parent.id
             limit ${CHILDREN_PER_STEP}))`,
      );
      for (;;) {
        const deleted = await countOf(db, deletion, [accountId, ...range]);
        count += deleted;
        if (deleted < CHILDREN_PER_STEP) break;
      }
    }
    return count;
  };

  const deleteParents = async ({ table, children }: OwnRows, accountId: number, range: readonly [string, string]) =>
    inTransaction(async () => {
      const lock = statement("", `select id from ${table} where ${RANGE} and account_id = $1 for update`);
      const ids = (await db.rows<{ id: string }>(lock, [accountId, ...range])).map(({ id }) => id);
      if (ids.length === 0) return 0;
      for (const { name, column } of children)
        await db.rows(statement("", `delete from ${name} where ${column} = any($1::uuid[])`), [ids]);
      return countOf(db, counted(`delete from ${table} where id = any($1::uuid[])`), [ids]);
    });

  return {
    catalogue: () => db.rows<CatalogueTable>(CATALOGUE, []),
    /** Held until the connection ends. -> false while another process deletes the account */
    lock: async (accountId: number): Promise<boolean> =>
      (await db.one<{ is_locked: boolean }>(LOCK, [accountId]))?.is_locked ?? false,
    /** The starts of the steps that a table takes now. */
    steps: async (table: string): Promise<number[]> => {
      const blocks = (await db.one<{ blocks: number }>(BLOCKS, [table]))?.blocks ?? 0;
      return Array.from({ length: Math.ceil(blocks / BLOCKS_PER_STEP) }, (_, step) => step * BLOCKS_PER_STEP);
    },
    /** Deletes the account's rows of one step. -> the number of deleted rows */
    async deleteStep(rows: AccountRows, accountId: number, block: number): Promise<number> {
      const range = rangeFrom(block);
      if (rows.kind === "own" && rows.children.length > 0)
        return (await deleteChildren(rows, accountId, range)) + (await deleteParents(rows, accountId, range));
      const condition = rows.kind === "own" ? "account_id = $1" : rows.condition;
      return countOf(db, counted(`delete from ${rows.table} where ${RANGE} and (${condition})`), [accountId, ...range]);
    },
    /** Whether a table contains a row of the account. */
    hasRows: async ({ table }: OwnRows, accountId: number): Promise<boolean> =>
      (await db.one(statement("", `select 1 from ${table} where account_id = $1 limit 1`), [accountId])) !== undefined,
  };
};
export type DeletionStore = ReturnType<typeof deletionStore>;
