import { refuse, UNAUTHENTICATED, type Session, type SessionAgent, type SignInMethod } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { callerAgentOf } from "./sessions.ts";
import type { SessionAgentColumns } from "./store.ts";

interface DescribedRow extends SessionAgentColumns {
  readonly id: string;
  readonly account: string;
  readonly method: SignInMethod;
  readonly created_time: Date;
  readonly expires_time: Date;
  readonly has_password: boolean;
  readonly has_second_factor: boolean;
  readonly recovery_codes: number;
}

const DESCRIBE = statement(
  "describe_session",
  `select s.id, o.name as account, a.id as agent_id, a.email, a.first_name, a.last_name, a.groups,
          a.body::json ->> 'role_id' as role_id, a.body::json ->> 'scope' as scope,
          s.method, s.created_time, s.expires_time,
          c.password_hash is not null as has_password, c.totp_secret is not null as has_second_factor,
          coalesce(cardinality(c.recovery_hashes), 0) as recovery_codes
     from agent_sessions s
     join agents a on a.account_id = s.account_id and a.id = s.agent_id
     join accounts o on o.id = s.account_id
     left join agent_credentials c on c.account_id = s.account_id and c.agent_id = s.agent_id
    where s.id = $1`,
);

/** The agent of a session, as the contract describes it. */
export const sessionAgentOf = (row: SessionAgentColumns & Pick<DescribedRow, "account">): SessionAgent => {
  const { role, scope } = callerAgentOf(row);
  return {
    account: row.account,
    agent_id: row.agent_id,
    email: row.email,
    ...(row.first_name !== null && { first_name: row.first_name }),
    ...(row.last_name !== null && { last_name: row.last_name }),
    role_id: row.role_id,
    role,
    scope,
    groups: [...row.groups],
  };
};

/** Describes a session and its agent. @errors UNAUTHENTICATED if it ended since the request was admitted */
export async function describeSession(db: Db, id: string): Promise<Session> {
  const row = (await db.one<DescribedRow>(DESCRIBE, [id])) ?? refuse(UNAUTHENTICATED);
  return {
    id: row.id,
    ...sessionAgentOf(row),
    method: row.method,
    created_time: row.created_time.toISOString(),
    expires_time: row.expires_time.toISOString(),
    has_password: row.has_password,
    has_second_factor: row.has_second_factor,
    recovery_codes_left: row.recovery_codes,
  };
}
