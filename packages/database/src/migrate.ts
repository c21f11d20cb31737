import { setTimeout } from "node:timers/promises";
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { SchemaMismatch } from "./errors/failure.ts";
import { hasSqlState, SQLSTATE } from "./errors/sqlstate.ts";
import { identifier } from "./schema.ts";
import { statement } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

/**
 * One schema change; never edited after a release. Processes of the previous release keep running on the changed schema: a change either
 * adds to the schema (expand), or removes parts that no supported release uses any more (contract), see docs/contributors/migrations.md.
 */
export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Runs in one transaction. */
  readonly sql: string;
  /** Indexes on existing tables, built before `sql` and without blocking writes. */
  readonly indexes?: readonly ConcurrentIndex[];
  /**
   * Of a contract: the lowest migration that a release must contain to run on the schema afterwards. Absent: the migration only adds, and
   * every release that reads this schema can run on it.
   */
  readonly needs?: number;
}

/** @shape on: the text after the name, such as `messages (account_id, created_time) where …` */
export interface ConcurrentIndex {
  readonly name: string;
  readonly on: string;
}

/** A migration as the schema records it. `needs` is null if a release before this rule applied it. */
export interface RecordedMigration {
  readonly id: number;
  readonly name: string;
  readonly needs: number | null;
}

const MAKE_TABLE = `create table if not exists migrations (
  id int primary key,
  name text not null,
  applied_time timestamptz not null default now(),
  needs int
)`;
const ADD_NEEDS = "alter table migrations add column needs int";
const FIND_TABLE = statement(
  "",
  `select attname = 'needs' as has_needs from pg_attribute
    where attrelid = to_regclass($1 || '.migrations') and attnum > 0 and not attisdropped order by attname = 'needs' desc limit 1`,
);
const LOCK_KEY = "hashtext('parley.migrate'), hashtext(current_schema())";
const TRY_LOCK = statement("", `select pg_try_advisory_lock(${LOCK_KEY}) as is_locked`);
const UNLOCK = statement("", `select pg_advisory_unlock(${LOCK_KEY})`);
/** @shape needs: the column, or the expression for it in schemas of releases before it */
const appliedIn = (schema: string, needs: string) =>
  statement("", `select id, name, ${needs} as needs from ${identifier(schema)}.migrations order by id`);
const RECORD = statement("", "insert into migrations (id, name, needs) values ($1, $2, $3)");
const INVALID_INDEX = statement("", "select 1 from pg_index where indexrelid = to_regclass($1) and not indisvalid");

/** Interval at which another process's migrations are waited for. A waiting statement would delay the build of indexes. @units milliseconds */
const LOCK_INTERVAL_MS = 50;
/**
 * Maximum time that a statement of a migration waits for a table, and with it every request on that table and on those that the migration
 * has locked before. @units milliseconds
 */
const TABLE_LOCK_MS = 100;
/** Pause before the next attempt to lock the tables. @units milliseconds */
const TABLE_RETRY_MS = 200;
/** Time after which a migration that gets no lock fails. @units milliseconds */
const TABLE_DEADLINE_MS = 900_000;

/** Schemas that this process has migrated, with the applied list, so that a second call returns immediately. */
const upToDate = new WeakMap<Database, Map<string, readonly Migration[]>>();

/**
 * Applies the pending migrations of a schema, each once and in its own transaction; safe to run concurrently in several processes, and
 * while processes of the previous release use the schema. A second call with the same list for the same database returns immediately.
 * @errors SchemaMismatch if the schema has a migration that the list doesn't contain and that needs a newer release
 */
export async function migrate(database: Database, schema: string, migrations: readonly Migration[]): Promise<void> {
  migrations.forEach((migration, index) => {
    const before = migrations[index - 1];
    if (before && before.id >= migration.id) throw new Error(`migration ${migration.id} does not follow ${before.id}`);
  });
  const done = upToDate.get(database) ?? new Map<string, readonly Migration[]>();
  upToDate.set(database, done);
  if (done.get(schema) === migrations) return;
  const connection = await database.connect(schema);
  try {
    while (!(await connection.one<{ is_locked: boolean }>(TRY_LOCK, []))?.is_locked) await setTimeout(LOCK_INTERVAL_MS);
    await prepareTable(connection, schema);
    for (const migration of pendingMigrations(
      schema,
      migrations,
      await connection.rows(appliedIn(schema, "needs"), []),
    ))
      await apply(connection, migration);
    await connection.one(UNLOCK, []);
    done.set(schema, migrations);
  } finally {
    await connection.close();
  }
}

/** Altered only where needed: the lock would wait for a backup that reads the table. */
async function prepareTable(connection: Connection, schema: string): Promise<void> {
  const table = await connection.one<{ has_needs: boolean }>(FIND_TABLE, [schema]);
  if (!table) await connection.script(MAKE_TABLE);
  else if (!table.has_needs) await connection.script(ADD_NEEDS);
}

async function apply(connection: Connection, { id, name, sql, indexes = [], needs = 0 }: Migration): Promise<void> {
  for (const index of indexes) await buildIndex(connection, index);
  for (const deadline = performance.now() + TABLE_DEADLINE_MS; ;) {
    try {
      return await inTransaction(connection, async () => {
        await connection.script(`set local statement_timeout = 0; set local lock_timeout = ${TABLE_LOCK_MS}`);
        await connection.script(sql);
        await connection.rows(RECORD, [id, name, needs]);
      });
    } catch (error) {
      // A long transaction holds the table. Statements that came after this one proceed during the pause.
      const isLocked =
        hasSqlState(error, SQLSTATE.LOCK_NOT_AVAILABLE) || hasSqlState(error, SQLSTATE.DEADLOCK_DETECTED);
      if (!isLocked || performance.now() > deadline) throw error;
    }
    await setTimeout(TABLE_RETRY_MS);
  }
}

async function buildIndex(connection: Connection, { name, on }: ConcurrentIndex): Promise<void> {
  await connection.script("set statement_timeout = 0; set lock_timeout = 0");
  // An interrupted build leaves an index that is maintained and never used.
  if (await connection.one(INVALID_INDEX, [identifier(name)]))
    await connection.script(`drop index concurrently ${name}`);
  await connection.script(`create index concurrently if not exists ${name} on ${on}`);
}

/** The migrations that were applied to a schema; undefined if it has no migrations. Changes nothing. */
export async function appliedMigrations(
  connection: Connection,
  schema: string,
): Promise<readonly RecordedMigration[] | undefined> {
  const table = await connection.one<{ has_needs: boolean }>(FIND_TABLE, [schema]);
  return table && connection.rows<RecordedMigration>(appliedIn(schema, table.has_needs ? "needs" : "null::int"), []);
}

/**
 * The migrations that a release would apply.
 * @errors SchemaMismatch if the release can't run on the schema
 */
export function pendingMigrations(
  schema: string,
  migrations: readonly Migration[],
  applied: readonly RecordedMigration[],
): readonly Migration[] {
  const nameById = new Map(migrations.map((migration) => [migration.id, migration.name]));
  const newest = migrations.at(-1)?.id ?? 0;
  const isReadable = ({ id, name, needs }: RecordedMigration) =>
    nameById.get(id) === name || (id > newest && needs !== null && needs <= newest);
  const unknown = applied.find((each) => !isReadable(each));
  if (unknown)
    throw new SchemaMismatch(
      `The schema "${schema}" has migration ${unknown.id} (${unknown.name}), which this release does not know. Start the newer release that wrote it, or use another database.`,
    );
  const done = new Set(applied.map(({ id }) => id));
  return migrations.filter(({ id }) => !done.has(id));
}
