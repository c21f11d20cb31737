import type { SignInMethod } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { AccountRow } from "../../../messaging/accounts/store.ts";
import { LAST_SEEN_INTERVAL_MS, SESSIONS_PER_AGENT_MAX } from "../../../http/session-rules.ts";

interface SessionColumns {
  readonly id: string;
  readonly hash: Buffer;
  readonly token_hash: Buffer;
  readonly account_id: number;
  readonly agent_id: string;
  readonly method: SignInMethod;
  readonly created_time: Date;
  readonly expires_time: Date;
}

/** The columns of a session's agent. */
export interface SessionAgentColumns {
  readonly agent_id: string;
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly groups: readonly string[];
  readonly role_id: string;
  readonly scope: string | null;
}

/** A session with its agent and account, so that one query identifies a caller. */
export interface SessionRow extends SessionColumns, SessionAgentColumns, Omit<AccountRow, "id"> {
  readonly last_seen_time: Date;
}

interface NewSession extends SessionColumns {
  readonly address: string;
  readonly user_agent: string;
}

/** A session in a list. */
export interface ListedSessionRow {
  readonly id: string;
  readonly method: SignInMethod;
  readonly created_time: Date;
  readonly last_seen_time: Date;
  readonly expires_time: Date;
  readonly address: string;
  readonly user_agent: string;
}

const findBy = (name: string, column: string, type: string) =>
  statement(
    name,
    `select s.id, s.hash, s.token_hash, s.account_id, s.agent_id, s.method, s.created_time, s.last_seen_time, s.expires_time,
          a.email, a.first_name, a.last_name, a.groups, a.body::json ->> 'role_id' as role_id, a.body::json ->> 'scope' as scope,
          o.name, o.configuration, o.primary_locale, o.calls_per_hour
     from agent_sessions s
     join agents a on a.account_id = s.account_id and a.id = s.agent_id and not a.is_deactivated
     join accounts o on o.id = s.account_id and o.closed_time is null
    where s.${column} = any($1::${type}[]) and s.last_seen_time > $2`,
  );
const FIND = findBy("find_sessions", "hash", "bytea");
const FIND_BY_ID = findBy("find_sessions_by_id", "id", "uuid");
const TOUCH = statement(
  "touch_sessions",
  `update agent_sessions set last_seen_time = $2
    where hash = any($1::bytea[]) and last_seen_time < $2::timestamptz - interval '${LAST_SEEN_INTERVAL_MS} milliseconds'`,
);
const INSERT = statement(
  "insert_session",
  `insert into agent_sessions (id, hash, token_hash, account_id, agent_id, method, created_time, last_seen_time, expires_time, address,
                               user_agent)
   values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10)`,
);
const END_OLDEST = statement(
  "end_oldest_sessions",
  `delete from agent_sessions
    where id in (select id from agent_sessions where account_id = $1 and agent_id = $2
                  order by created_time desc, id desc offset ${SESSIONS_PER_AGENT_MAX})`,
);
const LIST = statement(
  "list_sessions",
  `select id, method, created_time, last_seen_time, expires_time, address, user_agent
     from agent_sessions
    where account_id = $1 and agent_id = $2 and expires_time > $3 and last_seen_time > $4
    order by created_time desc, id desc`,
);
const END = statement(
  "end_session",
  `delete from agent_sessions where account_id = $1 and agent_id = $2 and id = $3 returning id`,
);
const END_ALL = statement(
  "end_sessions_of_agent",
  `delete from agent_sessions where account_id = $1 and agent_id = $2 and id is distinct from $3::uuid returning id`,
);
const SWEEP = statement(
  "",
  `delete from agent_sessions where expires_time <= $1 or last_seen_time <= $2 returning account_id, agent_id`,
);
const END_ALL_OF_ACCOUNT = statement(
  "end_sessions_of_account",
  `delete from agent_sessions where account_id = $1 returning id`,
);

/** Rows of the table `agent_sessions`. */
export const sessionStore = (db: Db) => ({
  /** Sessions of active agents, not idle since `idleSince`. The caller checks their expiry. */
  find: (hashes: readonly Buffer[], idleSince: Date) => db.rows<SessionRow>(FIND, [hashes, idleSince]),
  /** As `find`, by the ids of the sessions. */
  findByIds: (ids: readonly string[], idleSince: Date) => db.rows<SessionRow>(FIND_BY_ID, [ids, idleSince]),
  /** Records a request of each session, at most once per interval. */
  touch: (hashes: readonly Buffer[], now: Date) => db.rows(TOUCH, [hashes, now]),
  async insert(session: NewSession): Promise<void> {
    const { id, hash, token_hash, account_id, agent_id, method, created_time, expires_time } = session;
    const { address, user_agent } = session;
    await db.rows(INSERT, [
      id,
      hash,
      token_hash,
      account_id,
      agent_id,
      method,
      created_time,
      expires_time,
      address,
      user_agent,
    ]);
    await db.rows(END_OLDEST, [account_id, agent_id]);
  },
  /** Newest first. */
  list: (accountId: number, agentId: string, now: Date, idleSince: Date) =>
    db.rows<ListedSessionRow>(LIST, [accountId, agentId, now, idleSince]),
  /** -> false for an id that is not a session of the agent */
  end: async (accountId: number, agentId: string, id: string): Promise<boolean> =>
    (await db.one(END, [accountId, agentId, id])) !== undefined,
  /** Ends all sessions of an agent, or all but one session. -> number ended */
  endAll: async (accountId: number, agentId: string, except?: string): Promise<number> =>
    (await db.rows(END_ALL, [accountId, agentId, except ?? null])).length,
  /** Ends all sessions of an account. -> their ids */
  endAllOfAccount: async (accountId: number): Promise<string[]> =>
    (await db.rows<{ id: string }>(END_ALL_OF_ACCOUNT, [accountId])).map(({ id }) => id),
  /** Deletes the sessions that have ended. -> their agents */
  sweep: (now: Date, idleSince: Date) => db.rows<{ account_id: number; agent_id: string }>(SWEEP, [now, idleSince]),
});
