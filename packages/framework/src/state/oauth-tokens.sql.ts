import { statement, type Pool } from "@parley/database";

/** The owner of a token row. @shape account: "" before the app is installed; agent: "" for a token of the account */
export interface TokenHolder {
  readonly project: string;
  readonly account: string;
  readonly integration: string;
  readonly agent: string;
}

export interface OAuthTokenRow {
  readonly sealed: string;
  readonly expires_time: Date | null;
}

const BY_HOLDER = "project = $1 and account = $2 and integration = $3 and agent = $4";

const FIND = statement("find_oauth_token", `select sealed, expires_time from oauth_tokens where ${BY_HOLDER}`);
const SAVE = statement(
  "save_oauth_token",
  `insert into oauth_tokens (project, account, integration, agent, sealed, expires_time, updated_time)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (project, account, integration, agent)
   do update set sealed = excluded.sealed, expires_time = excluded.expires_time, updated_time = excluded.updated_time`,
);
const REPLACE = statement(
  "replace_oauth_token",
  `update oauth_tokens set sealed = $6, expires_time = $7, updated_time = $8 where ${BY_HOLDER} and sealed = $5 returning project`,
);
const REMOVE = statement(
  "remove_oauth_token",
  `delete from oauth_tokens where ${BY_HOLDER} and sealed = $5 returning project`,
);

const keyOf = ({ project, account, integration, agent }: TokenHolder) => [project, account, integration, agent];

/** Statements of the table `oauth_tokens`. Uninstalling an app removes its rows together with its other data. */
export const oauthTokenStore = (pool: Pool) => ({
  find: (holder: TokenHolder) => pool.one<OAuthTokenRow>(FIND, keyOf(holder)),
  save: async (holder: TokenHolder, { sealed, expires_time }: OAuthTokenRow, now: Date) => {
    await pool.one(SAVE, [...keyOf(holder), sealed, expires_time, now]);
  },
  /** Updates the row only if it is unchanged, so that a row that was removed in the meantime stays removed. -> whether it was unchanged */
  replace: async (holder: TokenHolder, before: OAuthTokenRow, { sealed, expires_time }: OAuthTokenRow, now: Date) =>
    (await pool.one(REPLACE, [...keyOf(holder), before.sealed, sealed, expires_time, now])) !== undefined,
  /** Deletes the row unless it was replaced. -> whether it was deleted */
  remove: async (holder: TokenHolder, { sealed }: OAuthTokenRow) =>
    (await pool.one(REMOVE, [...keyOf(holder), sealed])) !== undefined,
});
export type OAuthTokenStore = ReturnType<typeof oauthTokenStore>;
