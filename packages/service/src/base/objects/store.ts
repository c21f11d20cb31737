import { statement, type Db, type Pool } from "@parley/database";

const ADD_KEY = statement(
  "add_signing_key",
  "insert into signing_keys (name, secret) values ($1, $2) on conflict (name) do nothing",
);
const FIND_KEY = statement("find_signing_key", "select secret from signing_keys where name = $1");

/** Statements on the table `signing_keys`. */
export const signingKeyStore = (db: Db) => ({
  /** Stores the secret unless one of that name exists. -> the stored secret, shared by all processes */
  ensure: async (name: string, secret: Buffer): Promise<Buffer> => {
    await db.rows(ADD_KEY, [name, secret]);
    const found = await db.one<{ secret: Buffer }>(FIND_KEY, [name]);
    if (!found) throw new Error(`the signing key ${name} is not in the database`);
    return found.secret;
  },
});

/**
 * Lock between the sweep of objects and transactions that add rows for objects that were there before. Rows of new uploads need no lock: the sweep
 * does not touch new objects.
 */
const LOCK_KEY = "hashtext('parley.objects')";
const EXCLUDE_REFERENCES = statement("exclude_object_references", `select pg_advisory_xact_lock(${LOCK_KEY})`);

/** SQL of a lock that is held until the end of a transaction that adds rows for older objects. */
export const OLD_OBJECTS_LOCK = `pg_advisory_xact_lock_shared(${LOCK_KEY})`;

/** Runs in a transaction during which no row is added for an older object. */
export const withoutNewReferences = <T>(db: Pool, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await tx.one(EXCLUDE_REFERENCES, []);
    return work(tx);
  });
