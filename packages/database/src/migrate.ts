import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { SchemaMismatch } from "./errors/failure.ts";
import { statement } from "./statement.ts";
import { inTransaction } from "./transaction.ts";

/** One schema change; never edited after a release. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  readonly sql: string;
}

const MAKE_TABLE = `CREATE TABLE IF NOT EXISTS migrations (
  id int PRIMARY KEY,
  name text NOT NULL,
  applied_time timestamptz NOT NULL DEFAULT now()
)`;
const LOCK = statement("", "SELECT pg_advisory_xact_lock(hashtext('parley.migrate'), hashtext(current_schema()))");
const APPLIED = statement("", "SELECT id, name FROM migrations ORDER BY id");
const RECORD = statement("", "INSERT INTO migrations (id, name) VALUES ($1, $2)");

/** Schemas that this process has migrated, with the applied list, so that a second call returns immediately. */
const upToDate = new WeakMap<Database, Map<string, readonly Migration[]>>();

/**
 * Applies the pending migrations of a schema, each once and in its own transaction; safe to run concurrently in several processes. A second
 * call with the same list for the same database returns immediately.
 * @errors SchemaMismatch if the schema has a migration that the list doesn't contain
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
  const locked = <T>(work: () => Promise<T>): Promise<T> =>
    inTransaction(connection, async () => {
      await connection.one(LOCK, []);
      return work();
    });
  try {
    let pending = await locked(async () => {
      await connection.script(MAKE_TABLE);
      return pendingOf(connection, schema, migrations);
    });
    while (pending.length > 0) {
      pending = await locked(async () => {
        // Another process may have applied migrations between two transactions.
        const [next, ...rest] = await pendingOf(connection, schema, migrations);
        if (!next) return [];
        await connection.script(next.sql);
        await connection.rows(RECORD, [next.id, next.name]);
        return rest;
      });
    }
    done.set(schema, migrations);
  } finally {
    await connection.close();
  }
}

async function pendingOf(
  connection: Connection,
  schema: string,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const applied = await connection.rows<{ id: number; name: string }>(APPLIED, []);
  const nameById = new Map(migrations.map((migration) => [migration.id, migration.name]));
  const unknown = applied.find(({ id, name }) => nameById.get(id) !== name);
  if (unknown)
    throw new SchemaMismatch(
      `The schema "${schema}" has migration ${unknown.id} (${unknown.name}), which this release does not know. Start the newer release that wrote it, or use another database.`,
    );
  const done = new Set(applied.map(({ id }) => id));
  return migrations.filter(({ id }) => !done.has(id));
}
