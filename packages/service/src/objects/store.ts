import { statement, type Db } from "@parley/database";

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
