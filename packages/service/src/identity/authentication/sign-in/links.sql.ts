import { statement, type Db } from "@parley/database";
import type { Ports } from "../../../base/environment/ports.ts";
import type { AgentKey } from "../credentials/store.ts";
import { hashOf, isSecretShaped, newSecret } from "../secrets/secrets.ts";

/** @units milliseconds */
const MINUTE_MS = 60_000;

/**
 * Purpose of a single-use secret, and how long it is valid.
 * @units milliseconds
 * @assumed The lifetimes, except that of `sign_in`.
 */
const LINK_LIFETIMES_MS = {
  /** Signs in. */
  sign_in: 15 * MINUTE_MS,
  /** Sets the first password and signs in. */
  invitation: 7 * 24 * 60 * MINUTE_MS,
  /** Sets a new password and signs in. */
  password_reset: 60 * MINUTE_MS,
  /** Completes a sign-in whose first factor was right. */
  second_factor: 5 * MINUTE_MS,
} as const;
export type LinkPurpose = keyof typeof LINK_LIFETIMES_MS;
export const LINK_PURPOSES = Object.keys(LINK_LIFETIMES_MS) as LinkPurpose[];

const INSERT = statement(
  "insert_sign_in_link",
  `insert into sign_in_links (hash, purpose, account_id, agent_id, created_time, expires_time) values ($1, $2, $3, $4, $5, $6)`,
);
const FIND = statement(
  "find_sign_in_link",
  `select purpose, account_id, agent_id, expires_time from sign_in_links
    where hash = $1 and purpose = any($2::text[]) and expires_time > $3`,
);
const USE = statement(
  "use_sign_in_link",
  `delete from sign_in_links where hash = $1 and purpose = any($2::text[]) and expires_time > $3
   returning purpose, account_id, agent_id, expires_time`,
);
const WITHDRAW = statement(
  "withdraw_sign_in_links",
  `delete from sign_in_links where account_id = $1 and agent_id = $2 and purpose = any($3::text[])`,
);
const SWEEP = statement("", `delete from sign_in_links where expires_time <= $1`);

/** The secret of a link that was found. */
export interface FoundLink extends AgentKey {
  readonly purpose: LinkPurpose;
  readonly expires_time: Date;
}

/** Rows of the table `sign_in_links`: secrets that can be used once. */
export const linkStore = (db: Db, { now, random }: Pick<Ports, "now" | "random">) => ({
  async create(purpose: LinkPurpose, { account_id, agent_id }: AgentKey): Promise<{ secret: string; expires: Date }> {
    const secret = newSecret(random);
    const created = now();
    const expires = new Date(created.getTime() + LINK_LIFETIMES_MS[purpose]);
    await db.rows(INSERT, [hashOf(secret), purpose, account_id, agent_id, created, expires]);
    return { secret, expires };
  },
  /** -> undefined for a malformed, unknown, expired or used secret, or one of another purpose */
  find: async (secret: string, purposes: readonly LinkPurpose[]): Promise<FoundLink | undefined> =>
    isSecretShaped(secret) ? db.one<FoundLink>(FIND, [hashOf(secret), purposes, now()]) : undefined,
  /** Like `find`; the secret can't be used again. */
  use: async (secret: string, purposes: readonly LinkPurpose[]): Promise<FoundLink | undefined> =>
    isSecretShaped(secret) ? db.one<FoundLink>(USE, [hashOf(secret), purposes, now()]) : undefined,
  /** Makes an agent's links invalid. */
  withdraw: ({ account_id, agent_id }: AgentKey, purposes: readonly LinkPurpose[]) =>
    db.rows(WITHDRAW, [account_id, agent_id, purposes]),
  sweep: () => db.rows(SWEEP, [now()]),
});
