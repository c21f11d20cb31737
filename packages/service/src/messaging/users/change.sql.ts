import { appendToLog } from "../../base/log/store.ts";
import { currentTraceParent } from "@parley/telemetry";
import { statement, type Db, type Pool } from "@parley/database";

/** The current revision of a user. */
interface FoundUser {
  readonly revision: number;
  readonly body: string;
}

/** The next revision of a user and its event. */
interface ChangedUser {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly reference_id?: string | undefined;
  readonly body: string;
  readonly updated_time: string;
  readonly event_id: string;
  readonly partition: number;
  readonly changes: string;
}

const LOCK = statement(
  "lock_user",
  `select revision, body from users where account_id = $1 and id = $2 and deleted_time is null for no key update`,
);

const CHANGE = statement(
  "change_user",
  `with changed as (
     update users
        set revision = revision + 1, first_name = $4, last_name = $5, email = $6, phone = $7, body = $8, updated_time = $9,
            reference_id = $15
      where account_id = $1 and id = $2 and revision = $3 and deleted_time is null
     returning id, account_id, revision
   ), kept as (
     insert into user_revisions (user_id, revision, body)
     select id, $3, $10::text from changed
   )
   ${appendToLog(
     {
       id: "$11::uuid",
       account_id: "account_id",
       partition: "$12::smallint",
       kind: "'user_update'",
       entity_id: "id",
       created_time: "$9",
       actor_type: "'system'",
       user_id: "id",
       user_revision: "revision",
       changes: "$13::text",
       trace_parent: "$14::text",
     },
     "from changed",
   )}`,
);

export const userChangeStore = (pool: Pool) => ({
  /**
   * Computes the next revision with `rule` while the row is locked. The previous body moves to `user_revisions`, for
   * events that refer to it.
   * @shape undefined: unknown user; null: the rule made no change; db: a transaction of the caller
   */
  change: (accountId: number, id: string, rule: (user: FoundUser) => ChangedUser | undefined, db?: Db) => {
    const work = async (tx: Db) => {
      const found = await tx.one<FoundUser>(LOCK, [accountId, id]);
      if (!found) return undefined;
      const next = rule(found);
      if (!next) return null;
      await tx.rows(CHANGE, [
        accountId,
        id,
        found.revision,
        next.first_name,
        next.last_name,
        next.email,
        next.phone,
        next.body,
        next.updated_time,
        found.body,
        next.event_id,
        next.partition,
        next.changes,
        currentTraceParent() ?? null,
        next.reference_id,
      ]);
      return next;
    };
    return db ? work(db) : pool.transaction(work);
  },
});
