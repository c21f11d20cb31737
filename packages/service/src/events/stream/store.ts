import { statement, type Db } from "@parley/database";
import type { LogRow } from "../../base/log/store.ts";

// Not prepared: a plan that was made while the log was short would scan the whole of a long log.
const SPAN = statement(
  "",
  `select seq, id, account_id, partition, kind, entity_id, user_id
     from outbox
    where seq > $2 and seq <= $3 and account_id = $1 and ($5::uuid is null or user_id = $5)
    order by seq
    limit $4`,
);
const EVENT_AT = statement("", `select id, created_time from outbox where seq = $1`);
const LAST_AT = statement("", `select seq, id, created_time from outbox where seq <= $1 order by seq desc limit 1`);
const IS_COMPLETE = statement(
  "",
  `with next as (
     select coalesce(
              (select seq from outbox where seq > $1 and seq <= $3 and created_time > $2 order by seq limit 1),
              greatest($1::bigint, $3::bigint) + 1) as seq
   )
   select next.seq - $1 - 1 = (select count(*) from outbox where seq > $1 and seq < next.seq) as is_whole from next`,
);
const LIVE_CREDENTIALS = statement(
  "live_credentials",
  `select t.id, t.expires_time, null as access
     from tokens t
     join accounts o on o.id = t.account_id and o.closed_time is null
    where t.id = any($1::uuid[]) and t.revoked_time is null
    union all
   select s.id, s.expires_time, array_to_string(array[a.body::json ->> 'role_id', coalesce(a.body::json ->> 'scope', 'Group')] || a.groups, ' ') as access
     from agent_sessions s
     join agents a on a.account_id = s.account_id and a.id = s.agent_id and not a.is_deactivated
     join accounts o on o.id = s.account_id and o.closed_time is null
    where s.id = any($1::uuid[])`,
);
const LIVE_VISITOR_SESSIONS = statement(
  "live_visitor_sessions",
  `select s.id, null as access,
          case when r.is_required then least(s.expires_time, coalesce(s.signed_until, s.created_time)) else s.expires_time end as expires_time
     from visitor_sessions s
     join users u on u.account_id = s.account_id and u.id = s.user_id and u.deleted_time is null
     join accounts o on o.id = s.account_id and o.closed_time is null
     left join signed_identity_rules r on r.account_id = s.account_id
    where s.id = any($1::uuid[])`,
);
const HAS_CONVERSATION = statement(
  "has_conversation",
  `select id from conversations where id = $2::uuid and account_id = $1`,
);

/** A credential that is valid until its expiry. @shape access: the role and scope of a session's agent */
interface LiveCredential {
  readonly id: string;
  readonly expires_time: Date;
  readonly access: string | null;
}

/** Reads of the log and of credentials for streams. */
export const streamStore = (db: Db) => ({
  /** An account's events after one position up to another, which must be final. @shape userId: null for those of all users */
  span: (accountId: number, after: number, upTo: number, limit: number, userId: string | null): Promise<LogRow[]> =>
    db.rows<LogRow>(SPAN, [accountId, after, upTo, limit, userId]),
  /** The event at a position, if it exists and is still kept. */
  eventAt: (seq: number) => db.one<{ id: string; created_time: Date }>(EVENT_AT, [seq]),
  /** Whether all positions between one and the first event younger than `oldest` are filled, as far as the log is final. */
  isComplete: async (seq: number, oldest: Date, horizon: number): Promise<boolean> =>
    (await db.one<{ is_whole: boolean }>(IS_COMPLETE, [seq, oldest, horizon]))?.is_whole ?? false,
  /** The last event at or before a position. */
  lastAt: (seq: number) => db.one<{ seq: number; id: string; created_time: Date }>(LAST_AT, [seq]),
  /** Those of the tokens that are not revoked, and of the sessions that have not ended, of open accounts. */
  liveCredentials: (ids: readonly string[]) => db.rows<LiveCredential>(LIVE_CREDENTIALS, [ids]),
  /**
   * Those of the visitors' sessions that have not ended, of users that exist in open accounts. Where the account requires signed identities, a
   * session is valid until its signature is over.
   */
  liveVisitorSessions: (ids: readonly string[]) => db.rows<LiveCredential>(LIVE_VISITOR_SESSIONS, [ids]),
  hasConversation: async (accountId: number, id: string): Promise<boolean> =>
    (await db.one(HAS_CONVERSATION, [accountId, id])) !== undefined,
});
export type StreamStore = ReturnType<typeof streamStore>;
