import { statement, type Db } from "@parley/database";
import type { AgentKey } from "../credentials/store.ts";

/** An OpenID Connect provider of an account that is not closed. */
export interface ProviderRow {
  readonly account_id: number;
  readonly account: string;
  readonly name: string;
  readonly label: string;
  readonly issuer: string;
  readonly client_id: string;
  /** Encrypted. null: a public client. */
  readonly client_secret: string | null;
  readonly created_time: Date;
}

const COLUMNS = `p.account_id, o.name as account, p.name, p.label, p.issuer, p.client_id, p.client_secret, p.created_time`;
const FROM = `from identity_providers p join accounts o on o.id = p.account_id and o.closed_time is null`;

const LOCK_ACCOUNT = statement("lock_identity_providers", "select id from accounts where id = $1 for no key update");
const LIST = statement(
  "list_identity_providers",
  `select ${COLUMNS} ${FROM} where o.name = $1 order by p.label, p.name`,
);
const FIND = statement("find_identity_provider", `select ${COLUMNS} ${FROM} where o.name = $1 and p.name = $2`);
/** The row can't be changed or deleted until the transaction ends. */
const HOLD = statement(
  "hold_identity_provider",
  `select ${COLUMNS} ${FROM} where o.name = $1 and p.name = $2 for share of p`,
);
const PUT = statement(
  "put_identity_provider",
  `insert into identity_providers (account_id, name, label, issuer, client_id, client_secret, created_time)
   values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (account_id, name)
       do update set label = excluded.label, issuer = excluded.issuer, client_id = excluded.client_id,
                     client_secret = excluded.client_secret`,
);
const REMOVE = statement(
  "remove_identity_provider",
  "delete from identity_providers where account_id = $1 and name = $2",
);
const FORGET_SUBJECTS = statement(
  "forget_identity_subjects",
  "delete from identity_subjects where account_id = $1 and issuer = $2",
);
const SUBJECT = statement(
  "find_identity_subject",
  "select account_id, agent_id from identity_subjects where account_id = $1 and issuer = $2 and subject = $3",
);
/** Nothing is inserted if the subject is linked, or the agent has another subject of the issuer. */
const LINK = statement(
  "link_identity_subject",
  `insert into identity_subjects (account_id, issuer, subject, agent_id, created_time) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
);
/** Rows of the tables `identity_providers` and `identity_subjects`. @shape issuer of a subject: as `canonicalIssuer` */
export const providerStore = (db: Db) => ({
  /** Blocks other changes of the account's providers until the transaction ends. */
  lock: (accountId: number) => db.one(LOCK_ACCOUNT, [accountId]),
  list: async (account: string): Promise<readonly ProviderRow[]> =>
    account.includes("\0") ? [] : db.rows<ProviderRow>(LIST, [account]),
  find: async (account: string, name: string): Promise<ProviderRow | undefined> =>
    `${account}${name}`.includes("\0") ? undefined : db.one<ProviderRow>(FIND, [account, name]),
  /** Like `find`; the row stays as it is until the transaction ends. */
  hold: (account: string, name: string) => db.one<ProviderRow>(HOLD, [account, name]),
  put: ({ account_id, name, label, issuer, client_id, client_secret, created_time }: Omit<ProviderRow, "account">) =>
    db.rows(PUT, [account_id, name, label, issuer, client_id, client_secret, created_time]),
  remove: (accountId: number, name: string) => db.rows(REMOVE, [accountId, name]),
  forgetSubjects: (accountId: number, issuer: string) => db.rows(FORGET_SUBJECTS, [accountId, issuer]),
  /** -> the agent that a subject is linked with */
  agentOf: (accountId: number, issuer: string, subject: string) =>
    db.one<AgentKey>(SUBJECT, [accountId, issuer, subject]),
  link: (agent: AgentKey, { issuer, subject, now }: { issuer: string; subject: string; now: Date }) =>
    db.rows(LINK, [agent.account_id, issuer, subject, agent.agent_id, now]),
});
