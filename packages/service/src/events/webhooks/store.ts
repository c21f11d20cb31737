import { statement, type Db } from "@parley/database";

/** A key pair; the private key is encrypted with the key's id as context. */
export interface KeyRow {
  readonly id: string;
  readonly account_id: number;
  /** SPKI, PEM. */
  readonly public_key: string;
  readonly private_key: string;
  /** Time from which it signs. */
  readonly signs_time: Date;
}

const LOCK = statement("lock_webhooks", "select id from accounts where id = $1 for no key update");
const KEYS = statement(
  "webhook_keys",
  `select id, account_id, public_key, private_key, signs_time from webhook_keys where account_id = $1 order by signs_time, id`,
);
const ADD_KEY = statement(
  "add_webhook_key",
  "insert into webhook_keys (id, account_id, public_key, private_key, signs_time) values ($1, $2, $3, $4, $5)",
);
const REMOVE_KEYS = statement("remove_webhook_keys", "delete from webhook_keys where id = any($1::uuid[])");

/** Rows of the table `webhook_keys`. */
export const webhookStore = (db: Db) => ({
  /** Blocks other changes of the account's webhooks until the transaction ends. */
  lock: (accountId: number) => db.one(LOCK, [accountId]),
  /** Oldest first. */
  keys: (accountId: number) => db.rows<KeyRow>(KEYS, [accountId]),
  addKey: (key: KeyRow) => db.rows(ADD_KEY, [key.id, key.account_id, key.public_key, key.private_key, key.signs_time]),
  removeKeys: (ids: readonly string[]) => db.rows(REMOVE_KEYS, [ids]),
});
