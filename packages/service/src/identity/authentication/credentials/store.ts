import { statement, type Db } from "@parley/database";

/** An agent with its credentials. */
export interface CredentialsRow {
  readonly account_id: number;
  readonly account: string;
  readonly agent_id: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly role_id: string;
  readonly is_deactivated: boolean;
  readonly password_hash: string | null;
  /** Encrypted. */
  readonly totp_secret: string | null;
  /** Encrypted. A secret that no code has confirmed. */
  readonly totp_pending: string | null;
  readonly recovery_codes: number;
}

const COLUMNS = `a.account_id, o.name as account, a.id as agent_id, a.email, a.first_name, a.last_name,
          a.body::json ->> 'role_id' as role_id, a.is_deactivated, c.password_hash, c.totp_secret, c.totp_pending,
          coalesce(cardinality(c.recovery_hashes), 0) as recovery_codes`;
const FROM = `from agents a
     join accounts o on o.id = a.account_id and o.closed_time is null
     left join agent_credentials c on c.account_id = a.account_id and c.agent_id = a.id`;

const BY_EMAIL = statement(
  "credentials_by_email",
  `select ${COLUMNS} ${FROM} where o.name = $1 and lower(a.email) = lower($2)`,
);
const BY_AGENT = statement("credentials_by_agent", `select ${COLUMNS} ${FROM} where a.account_id = $1 and a.id = $2`);
const FIRST_OWNER = statement(
  "credentials_of_first_owner",
  `select ${COLUMNS} ${FROM}
    where o.name = $1 and not a.is_deactivated and a.body::json ->> 'role_id' = 'ACCOUNT_ADMIN'
    order by a.created_time, a.id
    limit 1`,
);
const upsert = (name: string, assignments: Readonly<Record<string, string>>) => {
  const columns = Object.keys(assignments);
  return statement(
    name,
    `insert into agent_credentials (account_id, agent_id, ${columns.join(", ")})
     values ($1, $2, ${Object.values(assignments).join(", ")})
         on conflict (account_id, agent_id)
         do update set ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`,
  );
};
const SET_PASSWORD = upsert("set_password", { password_hash: "$3", password_time: "$4" });
const SET_PENDING = upsert("set_pending_second_factor", { totp_pending: "$3" });
const ACTIVATE = statement(
  "activate_second_factor",
  `update agent_credentials
      set totp_secret = totp_pending, totp_pending = null, totp_step = $4, recovery_hashes = $5::bytea[]
    where account_id = $1 and agent_id = $2 and totp_pending = $3 and totp_secret is null
   returning agent_id`,
);
const SET_RECOVERY = statement(
  "set_recovery_codes",
  `update agent_credentials set recovery_hashes = $3::bytea[] where account_id = $1 and agent_id = $2`,
);
const REMOVE_SECOND_FACTOR = statement(
  "remove_second_factor",
  `update agent_credentials set totp_secret = null, totp_pending = null, totp_step = null, recovery_hashes = '{}'
    where account_id = $1 and agent_id = $2 and totp_secret is not null
   returning agent_id`,
);
const USE_STEP = statement(
  "use_second_factor_step",
  `update agent_credentials set totp_step = $3
    where account_id = $1 and agent_id = $2 and totp_secret is not null and (totp_step is null or totp_step < $3)
   returning agent_id`,
);
const USE_RECOVERY = statement(
  "use_recovery_code",
  `update agent_credentials set recovery_hashes = array_remove(recovery_hashes, $3::bytea)
    where account_id = $1 and agent_id = $2 and totp_secret is not null and $3::bytea = any(recovery_hashes)
   returning agent_id`,
);

/** The agent of a credential. */
export interface AgentKey {
  readonly account_id: number;
  readonly agent_id: string;
}

/** Rows of the table `agent_credentials`, with their agents. Closed accounts have no active agents. */
export const credentialStore = (db: Db) => ({
  byEmail: async (account: string, email: string): Promise<CredentialsRow | undefined> =>
    `${account}${email}`.includes("\0") ? undefined : db.one<CredentialsRow>(BY_EMAIL, [account, email]),
  byAgent: (key: AgentKey) => db.one<CredentialsRow>(BY_AGENT, [key.account_id, key.agent_id]),
  /** The active agent with the role Account admin that was created first. */
  firstOwner: (account: string) => db.one<CredentialsRow>(FIRST_OWNER, [account]),
  setPassword: (key: AgentKey, hash: string, now: Date) =>
    db.rows(SET_PASSWORD, [key.account_id, key.agent_id, hash, now]),
  /** @shape secret: encrypted */
  setPending: (key: AgentKey, secret: string) => db.rows(SET_PENDING, [key.account_id, key.agent_id, secret]),
  /** -> false if the pending secret was replaced or a second factor is active */
  activate: async (key: AgentKey, pending: string, step: number, recovery: readonly Buffer[]): Promise<boolean> =>
    (await db.one(ACTIVATE, [key.account_id, key.agent_id, pending, step, recovery])) !== undefined,
  setRecovery: (key: AgentKey, hashes: readonly Buffer[]) =>
    db.rows(SET_RECOVERY, [key.account_id, key.agent_id, hashes]),
  /** -> false without a stored row */
  removeSecondFactor: async (key: AgentKey): Promise<boolean> =>
    (await db.one(REMOVE_SECOND_FACTOR, [key.account_id, key.agent_id])) !== undefined,
  /** Marks a time step and all earlier time steps as used. -> false if it was used */
  useStep: async (key: AgentKey, step: number): Promise<boolean> =>
    (await db.one(USE_STEP, [key.account_id, key.agent_id, step])) !== undefined,
  /** Removes a recovery code. -> false if there is no such code */
  useRecovery: async (key: AgentKey, hash: Buffer): Promise<boolean> =>
    (await db.one(USE_RECOVERY, [key.account_id, key.agent_id, hash])) !== undefined,
});
