import { inTransaction, type Connection, type Database, type Migration } from "@parley/database";
import { effectsStore, type TableAfter, type TableBefore } from "./effects.sql.ts";

/** Locks of tables, strongest first, as PostgreSQL's documentation names them. */
const TABLE_LOCKS = {
  AccessExclusiveLock: "ACCESS EXCLUSIVE",
  ExclusiveLock: "EXCLUSIVE",
  ShareRowExclusiveLock: "SHARE ROW EXCLUSIVE",
  ShareLock: "SHARE",
  ShareUpdateExclusiveLock: "SHARE UPDATE EXCLUSIVE",
  RowExclusiveLock: "ROW EXCLUSIVE",
  RowShareLock: "ROW SHARE",
  AccessShareLock: "ACCESS SHARE",
} as const;
type TableLock = (typeof TABLE_LOCKS)[keyof typeof TABLE_LOCKS];

/** Effect of a migration on a table that exists before it. */
export interface TableEffect {
  readonly table: string;
  /** The strongest lock that it holds until its end. */
  readonly lock: TableLock;
  /** Whether all rows are written anew, or the table is dropped. */
  readonly change: "rewritten" | "dropped" | "kept";
  /** Number of indexes that are built while writes wait. */
  readonly blockingIndexes: number;
  /** Whether rows are inserted, changed or deleted. */
  readonly writesRows: boolean;
}

export interface MigrationEffect {
  readonly schema: string;
  readonly id: number;
  readonly name: string;
  /** Lowest migration that running releases must contain; absent if it only adds. */
  readonly needs?: number;
  /** Indexes that are built without blocking writes, with their tables. */
  readonly indexes: readonly { readonly name: string; readonly table: string }[];
  readonly tables: readonly TableEffect[];
}

const effectOn = ({ file }: TableBefore, after: TableAfter, name: string): TableEffect => {
  const [mode = "AccessShareLock"] = Object.keys(TABLE_LOCKS).filter((each) => after.modes.includes(each));
  return {
    table: name,
    lock: TABLE_LOCKS[mode as keyof typeof TABLE_LOCKS],
    change: after.file === null ? "dropped" : after.file === file ? "kept" : "rewritten",
    blockingIndexes: after.built,
    writesRows: after.modes.includes("RowExclusiveLock"),
  };
};

/** A table is read without blocking anybody. */
const isBlocking = ({ lock }: TableEffect): boolean => lock !== "ACCESS SHARE" && lock !== "ROW SHARE";

const indexOf = ({ name, on }: { readonly name: string; readonly on: string }) => ({
  name,
  table: /^\w+/.exec(on)?.[0] ?? "",
});

async function effectOf(connection: Connection, schema: string, migration: Migration): Promise<MigrationEffect> {
  const { id, name, sql, needs, indexes = [] } = migration;
  const store = effectsStore(connection);
  for (const index of indexes) await store.buildIndex(index);
  const before = await store.tables();
  const touched = await inTransaction(connection, async () => {
    await connection.script(sql);
    return store.touched(before);
  });
  const tables = before.flatMap((table) => {
    const after = touched.find(({ oid }) => oid === table.oid);
    return after ? [effectOn(table, after, table.name)] : [];
  });
  return {
    schema,
    id,
    name,
    ...(needs !== undefined && { needs }),
    indexes: indexes.map(indexOf),
    tables: tables.filter(isBlocking),
  };
}

/**
 * Finds out what migrations lock and rewrite, by applying them to empty tables.
 * @shape scratch: a database of its own, in which the schema is absent; `applied`: how many migrations of the list come before
 */
export async function migrationEffects(
  scratch: Database,
  schema: string,
  migrations: readonly Migration[],
  applied: number,
): Promise<readonly MigrationEffect[]> {
  const connection = await scratch.connect(schema);
  try {
    const effects: MigrationEffect[] = [];
    for (const [index, migration] of migrations.entries()) {
      const effect = await effectOf(connection, schema, migration);
      if (index >= applied) effects.push(effect);
    }
    return effects;
  } finally {
    await connection.close();
  }
}
