import { MESSENGER_LIMITS } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { AccountRow } from "../../../messaging/accounts/store.ts";
import { LAST_SEEN_INTERVAL_MS } from "../../../http/session-rules.ts";

/** The identity of a session that a site has signed. */
export interface SessionSignature {
  readonly signed_until: Date;
  readonly signing_key_id: string;
}

interface VisitorSessionColumns {
  readonly id: string;
  readonly hash: Buffer;
  readonly account_id: number;
  readonly user_id: string;
  readonly expires_time: Date;
}

/** A visitor's session with its account, so that one query identifies a caller. */
export interface VisitorSessionRow extends VisitorSessionColumns, Omit<AccountRow, "id"> {
  readonly is_blocked: boolean;
  /** null: no identity of the session was signed. */
  readonly signed_until: Date | null;
  /** Whether the account requires signed identities. */
  readonly is_signature_required: boolean;
}

const FIND = statement(
  "find_visitor_sessions",
  `select s.id, s.hash, s.account_id, s.user_id, s.expires_time, s.signed_until, b.user_id is not null as is_blocked,
          coalesce(r.is_required, false) as is_signature_required, o.name, o.configuration, o.primary_locale, o.calls_per_hour
     from visitor_sessions s
     join users u on u.account_id = s.account_id and u.id = s.user_id and u.deleted_time is null
     join accounts o on o.id = s.account_id and o.closed_time is null
     left join blocked_users b on b.account_id = s.account_id and b.user_id = s.user_id
     left join signed_identity_rules r on r.account_id = s.account_id
    where s.hash = any($1::bytea[]) and s.last_seen_time > $2`,
);
const TOUCH = statement(
  "touch_visitor_sessions",
  `update visitor_sessions set last_seen_time = $2
    where hash = any($1::bytea[]) and last_seen_time < $2::timestamptz - interval '${LAST_SEEN_INTERVAL_MS} milliseconds'`,
);
const INSERT = statement(
  "insert_visitor_session",
  `insert into visitor_sessions
     (id, hash, account_id, user_id, created_time, last_seen_time, expires_time, signed_until, signing_key_id)
   values ($1, $2, $3, $4, $5, $5, $6, $7, $8)`,
);
const SIGN = statement(
  "sign_visitor_session",
  `update visitor_sessions set signed_until = $3, signing_key_id = $4 where account_id = $1 and id = $2 returning expires_time`,
);
const END_OLDEST = statement(
  "end_oldest_visitor_sessions",
  `delete from visitor_sessions
    where id in (select id from visitor_sessions where account_id = $1 and user_id = $2
                  order by created_time desc, id desc offset ${MESSENGER_LIMITS.sessions_per_user})`,
);
const END = statement("end_visitor_session", `delete from visitor_sessions where account_id = $1 and id = $2`);
const END_ALL = statement(
  "end_sessions_of_user",
  `delete from visitor_sessions where account_id = $1 and user_id = $2`,
);
const END_OF_KEY = statement(
  "end_sessions_of_signing_key",
  `delete from visitor_sessions where account_id = $1 and signing_key_id = $2`,
);
const SWEEP = statement("", `delete from visitor_sessions where expires_time <= $1 or last_seen_time <= $2`);

/** Rows of the table `visitor_sessions`. */
export const visitorSessionStore = (db: Db) => ({
  /** Sessions of users that exist, not idle since `idleSince`. The caller checks their expiry. */
  find: (hashes: readonly Buffer[], idleSince: Date) => db.rows<VisitorSessionRow>(FIND, [hashes, idleSince]),
  /** Records a request of each session, at most once per interval. */
  touch: (hashes: readonly Buffer[], now: Date) => db.rows(TOUCH, [hashes, now]),
  async insert(
    session: VisitorSessionColumns & { readonly created_time: Date; readonly signature?: SessionSignature | undefined },
  ): Promise<void> {
    const { id, hash, account_id, user_id, created_time, expires_time, signature } = session;
    const { signed_until = null, signing_key_id = null } = signature ?? {};
    await db.rows(INSERT, [
      ...[id, hash, account_id, user_id, created_time, expires_time],
      ...[signed_until, signing_key_id],
    ]);
    await db.rows(END_OLDEST, [account_id, user_id]);
  },
  /** -> the expiry of the session; undefined if it has ended */
  sign: async (accountId: number, id: string, { signed_until, signing_key_id }: SessionSignature) =>
    (await db.one<{ expires_time: Date }>(SIGN, [accountId, id, signed_until, signing_key_id]))?.expires_time,
  end: (accountId: number, id: string) => db.rows(END, [accountId, id]),
  /** Ends all sessions of a user. */
  endAll: (accountId: number, userId: string) => db.rows(END_ALL, [accountId, userId]),
  /** Ends the sessions that were last signed with a key. */
  endOfKey: (accountId: number, keyId: string) => db.rows(END_OF_KEY, [accountId, keyId]),
  /** Deletes the sessions that have ended. */
  sweep: (now: Date, idleSince: Date) => db.rows(SWEEP, [now, idleSince]),
});
