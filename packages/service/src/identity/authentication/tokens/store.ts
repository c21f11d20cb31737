import type { Permission } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { Page } from "../../../base/db/page.ts";
import { newSecret } from "../secrets/secrets.ts";

const PREFIX = "parley_";
const TOKEN = /^parley_[A-Za-z0-9_-]{43}$/;

/** Creates a token. Its prefix lets secret scanners find leaked tokens in source code. */
export const newToken = (random: (count: number) => Buffer): string => PREFIX + newSecret(random);

/** Whether a text has the format of a token. Other texts need no lookup. */
export const isTokenShaped = (text: string): boolean => TOKEN.test(text);

export interface ApiTokenRow {
  readonly hash: Buffer;
  readonly id: string;
  readonly permissions: readonly Permission[];
  readonly expires_time: Date;
  readonly last_used_time: Date | null;
  readonly account_id: number;
  /** Name of the account. */
  readonly name: string;
  readonly token_name: string;
  readonly configuration: string;
  readonly primary_locale: string;
  readonly calls_per_hour: number | null;
  readonly is_account_closed: boolean;
}

interface NewToken {
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
  `select t.hash, t.id, t.permissions, t.expires_time, t.last_used_time, t.account_id, t.name as token_name,
          a.name, a.configuration, a.primary_locale, a.calls_per_hour, a.closed_time is not null as is_account_closed
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
  `update tokens set revoked_time = $2
     from accounts
    where tokens.id = $1 and revoked_time is null and ($3::integer is null or account_id = $3) and accounts.id = account_id
   returning tokens.name, account_id, accounts.name as account`,
);
const RENEW_TOKEN = statement(
  "renew_token",
  `update tokens
      set permissions = $3::text[], expires_time = greatest(expires_time, $4)
    where hash = $1 and account_id = $2 and revoked_time is null
   returning id`,
);
// A lost update costs a minute: the commit need not wait for the disk.
const USED_TOKENS = statement(
  "used_tokens",
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
   update tokens set last_used_time = $2
     from relaxed
    where id = any($1::uuid[]) and (last_used_time is null or last_used_time < $2)`,
);
const LISTED = "id, name, permissions, created_time, expires_time, revoked_time, last_used_time";
const TOKEN_BY_ID = statement(
  "token_by_id",
  `select ${LISTED} from tokens where id = $1 and ($2::integer is null or account_id = $2)`,
);
const TOKENS_OF_ACCOUNT = statement(
  "tokens_of_account",
  `select ${LISTED}
     from tokens
    where account_id = $1
    order by created_time desc, id desc
    limit $2 offset $3`,
);
const COUNT_TOKENS = statement("count_tokens", `select count(*)::integer as total from tokens where account_id = $1`);

const ROLE_OF_AGENT = statement(
  "role_of_token_creator",
  "select body::json ->> 'role_id' as role_id from agents where account_id = $1 and id = $2 and not is_deactivated",
);

/** A token without its secret. */
export interface ListedToken {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly created_time: Date;
  readonly expires_time: Date;
  readonly revoked_time: Date | null;
  readonly last_used_time: Date | null;
}

/** Rows of the table `tokens`, joined with their account, so that one query identifies a caller. */
export const apiTokenStore = (db: Db) => ({
  /** Tokens that exist and are not revoked. The caller checks their expiry. */
  find: (hashes: readonly Buffer[]) => db.rows<ApiTokenRow>(FIND_TOKENS, [hashes]),
  /** Notes that tokens were used at a time. */
  used: (ids: readonly string[], time: Date) => db.rows(USED_TOKENS, [ids, time]),
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
  /** -> undefined for a token that the account does not have, or that was revoked */
  renew: (token: Pick<NewToken, "hash" | "account_id" | "permissions" | "expires_time">) =>
    db.one<{ id: string }>(RENEW_TOKEN, [token.hash, token.account_id, token.permissions, token.expires_time]),
  /** @shape accountId: absent: of any account */
  byId: (id: string, accountId?: number) => db.one<ListedToken>(TOKEN_BY_ID, [id, accountId ?? null]),
  /** Newest first. */
  list: async (accountId: number, { itemsPerPage, offset }: Page): Promise<{ total: number; items: ListedToken[] }> => {
    const [counted, items] = await Promise.all([
      db.one<{ total: number }>(COUNT_TOKENS, [accountId]),
      db.rows<ListedToken>(TOKENS_OF_ACCOUNT, [accountId, itemsPerPage, offset]),
    ]);
    return { total: counted?.total ?? 0, items };
  },
  /** -> id of the role of an active agent; undefined for another agent. @shape agentId: a UUID */
  roleOfAgent: async (accountId: number, agentId: string): Promise<string | undefined> =>
    (await db.one<{ role_id: string }>(ROLE_OF_AGENT, [accountId, agentId]))?.role_id,
  /** -> undefined for a token that is unknown or revoked already. @shape accountId: absent: of any account */
  revoke: (id: string, now: Date, accountId?: number) =>
    db.one<{ name: string; account_id: number; account: string }>(REVOKE_TOKEN, [id, now, accountId ?? null]),
});
export type ApiTokenStore = ReturnType<typeof apiTokenStore>;
