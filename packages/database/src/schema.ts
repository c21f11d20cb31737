import type { Db } from "./statement.ts";
import { statement } from "./statement.ts";

/** Passes a name on that needs no quotes anywhere. @errors Error for any other */
export function identifier(name: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(name)) throw new Error(`not a plain SQL name: ${JSON.stringify(name)}`);
  return name;
}

const FIND_SCHEMA = statement("", "SELECT 1 FROM pg_namespace WHERE nspname = $1");
// Of two that create it at once, one fails on the catalogue's own index, IF NOT EXISTS or not.
const LOCK_SCHEMAS = statement("", "SELECT pg_advisory_xact_lock(hashtext('parley.schema'))");

/** Makes a schema unless it is there; a role that may not create one can use one that was made for it. */
export async function ensureSchema(
  inTransaction: <T>(work: (tx: Db) => Promise<T>) => Promise<T>,
  schema: string,
): Promise<void> {
  await inTransaction(async (tx) => {
    await tx.one(LOCK_SCHEMAS, []);
    if (await tx.one(FIND_SCHEMA, [schema])) return;
    await tx.rows(statement("", `CREATE SCHEMA ${identifier(schema)}`), []);
  });
}
