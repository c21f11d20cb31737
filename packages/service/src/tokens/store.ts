import type { Permission } from "@parley/contract";
import { statement, type Db } from "@parley/database";

export interface TokenRow {
  readonly hash: Buffer;
  readonly id: string;
  readonly permissions: readonly Permission[];
  readonly expires_time: Date;
  readonly account_id: number;
  readonly name: string;
  readonly configuration: string;
  readonly primary_locale: string;
  readonly calls_per_hour: number | null;
}

export interface NewToken {
  readonly hash: Buffer;
  readonly id: string;
  readonly account_id: number;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly created_time: Date;
  readonly expires_time: Date;
}

const FIND_TOKENS = statement(
  "find_tokens",
  `select t.hash, t.id, t.permissions, t.expires_time, t.account_id,
          a.name, a.configuration, a.primary_locale, a.calls_per_hour
     from tokens t
     join accounts a on a.id = t.account_id
    where t.hash = any($1::bytea[])
      and t.revoked_time is null`,
);
const INSERT_TOKEN = statement(
  "insert_token",
  `insert into tokens (hash, id, account_id, name, permissions, created_time, expires_time)
   values ($1, $2, $3, $4, $5::text[], $6, $7)`,
);
const REVOKE_TOKEN = statement(
  "revoke_token",
  `update tokens set revoked_time = $2 where id = $1 and revoked_time is null returning id`,
);

/** Rows of the table `tokens`; what they open is joined, so that a caller is named by one query. */
export const tokenStore = (db: Db) => ({
  /** Those that exist and were not revoked; who asks looks at their time. */
  find: (hashes: readonly Buffer[]) => db.rows<TokenRow>(FIND_TOKENS, [hashes]),
  insert: (token: NewToken) =>
    db.rows(INSERT_TOKEN, [
      token.hash,
      token.id,
      token.account_id,
      token.name,
      token.permissions,
      token.created_time,
      token.expires_time,
    ]),
  revoke: (id: string, now: Date) => db.one<{ id: string }>(REVOKE_TOKEN, [id, now]),
});
export type TokenStore = ReturnType<typeof tokenStore>;
