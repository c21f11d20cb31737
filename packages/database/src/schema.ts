import type { Db } from "./statement.ts";
import { statement } from "./statement.ts";

/** Validates a name that needs no quoting in SQL. @errors Error for any other name */
export function identifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new Error(`not a plain SQL name: ${JSON.stringify(name)}`);
  return name;
}

const FIND_SCHEMA = statement("", "select 1 from pg_namespace where nspname = $1");
// Of two concurrent CREATE SCHEMA statements, one fails on the catalogue's unique index, even with IF NOT EXISTS.
const LOCK_SCHEMAS = statement("", "select pg_advisory_xact_lock(hashtext('parley.schema'))");

/** Creates a schema if it doesn't exist. A role that may not create schemas can use an existing schema. */
export async function ensureSchema(
  inTransaction: <T>(work: (tx: Db) => Promise<T>) => Promise<T>,
  schema: string,
): Promise<void> {
  await inTransaction(async (tx) => {
    await tx.one(LOCK_SCHEMAS, []);
    if (await tx.one(FIND_SCHEMA, [schema])) return;
    await tx.rows(statement("", `create schema ${identifier(schema)}`), []);
  });
}
