import { DELIVERY_EXCHANGE_LIMITS } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { sleep } from "../../base/concurrency/wake-signal.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { DispatchRules } from "./dispatch-rules.ts";
import { isToCome } from "./partition-cursor.sql.ts";
import { wantsKind } from "./subscriptions.sql.ts";

/** Time from which on a subscriber `s` holds up events although it is off: a paused app holds them up for longer than a webhook. */
const holdsSince = (webhooks: string, apps: string) =>
  `case s.kind when 'app' then ${apps}::timestamptz else ${webhooks}::timestamptz end`;

// An event stays while a projection has not read it, while an active subscriber of its account has not received it, and while it
// waits for another attempt. A subscriber that has been off for the retention time, or an app that has been paused for longer than that,
// holds up nothing.
const REMOVE = statement(
  "",
  `with old as materialized (
     select seq, account_id, partition, kind
       from outbox
      where seq > $1 and seq <= (select min(seq) from projection_cursors) and created_time < $2
      order by seq
      limit $3
   ), free as materialized (
     select old.*
       from old
      where not exists (
        select from subscriptions s
          left join cursors c on c.subscription_id = s.id and c.partition = old.partition
         where s.account_id = old.account_id
           and (s.off_time is null or s.off_time >= ${holdsSince("$2", "$4")})
           and ((${isToCome("c", "s", "old.seq")} and ${wantsKind("s", "old.kind")})
                or exists (select from deliveries d
                            where d.subscription_id = s.id and d.seq = old.seq and d.state in ('waiting', 'aside'))))
   ), missed as (
     update subscriptions set missed = subscriptions.missed + lost.count
       from (
         select s.id, count(*) as count
           from free
           join subscriptions s on s.account_id = free.account_id and s.off_time < ${holdsSince("$2", "$4")}
                               and ${wantsKind("s", "free.kind")}
           left join cursors c on c.subscription_id = s.id and c.partition = free.partition
          where ${isToCome("c", "s", "free.seq")}
          group by s.id) lost
      where subscriptions.id = lost.id
   ), removed as (
     delete from outbox using free where outbox.seq = free.seq
   )
   select count(*)::integer as seen, max(seq) as last from old`,
);
const FORGET = statement(
  "",
  `with dead as (
     update deliveries
        set state = 'dead', reason = 'turned off for longer than events are kept', next_time = null, retry_time = null, changed_time = $2
       from subscriptions s
      where s.id = deliveries.subscription_id and s.off_time < ${holdsSince("$1", "$3")} and state in ('waiting', 'aside')
   ), revisions as (
     delete from directory_revisions where until_seq < (select seq from outbox order by seq limit 1)
   )
   delete from deliveries where state in ('delivered', 'dead') and changed_time < $1`,
);

// A webhook that never answers has any number of deliveries, and an exchange is many times larger than the rest of the row. The dispatcher
// does not wait for this, nor this for the dispatcher: a row that is being written is left to the next time.
const FORGET_EXCHANGES = statement(
  "",
  `update deliveries set exchange = null
    where (subscription_id, seq) in (
      select old.subscription_id, old.seq
        from subscriptions s
       cross join lateral (
         select seq from deliveries
          where subscription_id = s.id and exchange is not null
          order by seq desc
         offset ${DELIVERY_EXCHANGE_LIMITS.deliveries - 1} limit 1) kept
        join deliveries old on old.subscription_id = s.id and old.seq < kept.seq and old.exchange is not null
         for update of old skip locked)`,
);

/** Rows that are older than these times expire. */
interface ExpiryBounds {
  /** Events, and subscribers that are off. */
  readonly events: Date;
  /** Pauses of apps. */
  readonly paused: Date;
}

/** Removes expired rows. */
export const retentionStore = (db: Db) => ({
  /** Removes up to `limit` events after a position. -> the last position that was checked; undefined when no expired event is after it */
  remove: async (after: number, { events, paused }: ExpiryBounds, limit: number): Promise<number | undefined> =>
    (await db.one<{ last: number | null }>(REMOVE, [after, events, limit, paused]))?.last ?? undefined,
  /**
   * Removes dead letters, deliveries that wait for a subscriber that has been off for the retention time, and directory revisions that
   * no event refers to; and the exchanges of all but the newest deliveries.
   */
  expire: async ({ events, paused }: ExpiryBounds, now: Date): Promise<void> => {
    await db.rows(FORGET, [events, now, paused]);
    await db.rows(FORGET_EXCHANGES, []);
  },
});
type RetentionStore = ReturnType<typeof retentionStore>;

interface RetentionDeps {
  readonly store: RetentionStore;
  readonly rules: Pick<DispatchRules, "retentionDays" | "pausedEventsDays">;
  readonly ports: Pick<Ports, "now">;
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;
/** Events removed by one statement: few, so that no other statement waits for it. */
const EVENTS_PER_REMOVAL = 500;
/** Time between two removals. @units milliseconds */
const REMOVAL_INTERVAL_MS = 20;

/** -> a function that walks the log from its start and removes events that are past their retention and that no subscriber needs */
export const createRetention =
  ({ store, rules: { retentionDays, pausedEventsDays }, ports: { now }, signal }: RetentionDeps) =>
  async (): Promise<void> => {
    const daysAgo = (days: number) => new Date(now().getTime() - days * DAY_MS);
    const before = { events: daysAgo(retentionDays), paused: daysAgo(Math.max(pausedEventsDays, retentionDays)) };
    for (let last: number | undefined = 0; last !== undefined && !signal.aborted;) {
      last = await store.remove(last, before, EVENTS_PER_REMOVAL);
      await sleep(REMOVAL_INTERVAL_MS, signal);
    }
    if (!signal.aborted) await store.expire(before, now());
  };
