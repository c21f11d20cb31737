import type { DeliveryState, StreamEventKind } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { LOCK_SUBSCRIPTIONS } from "./subscription-locks.sql.ts";
import type { RecordedExchange } from "./subscriber-kind.ts";

/** The delivery of one event to one subscription. */
export interface EventDelivery {
  readonly subscription_id: string;
  readonly seq: number;
  readonly event_id: string;
  readonly kind: StreamEventKind;
  readonly entity_id: string;
  readonly partition: number;
  readonly state: DeliveryState;
  readonly is_replay: boolean;
  readonly tries: number;
  /** Requests of the event that the receiver has taken. */
  readonly taken: number;
  /** HTTP status of the last reply. */
  readonly status: number | null;
  readonly reason: string | null;
  /** Time of the first attempt. */
  readonly first_time: Date | null;
  /** Time at which the row is processed next. */
  readonly next_time: Date | null;
  /** Time of the next attempt. */
  readonly retry_time: Date | null;
  /** Duration of the last request. @units milliseconds */
  readonly duration_ms: number | null;
  /** The last request with its response, after the attempt that made it. Rows that were read are without it. */
  readonly exchange?: RecordedExchange;
  readonly changed_time: Date;
}

/** The columns of a row that is read; `exchange`, which is longer than all others, is read by itself. */
export const DELIVERY_COLUMNS =
  "subscription_id, seq, event_id, kind, entity_id, partition, state, is_replay, tries, taken, status, reason, first_time, next_time, " +
  "retry_time, duration_ms, changed_time";

/** Text of the column `exchange`: JSON within JSON, since a response can contain characters that a text of PostgreSQL can't. */
const exchangeText = ({ exchange }: Pick<EventDelivery, "exchange">): string | null =>
  exchange ? JSON.stringify(exchange) : null;

const recordset = (rows: readonly EventDelivery[]): string =>
  JSON.stringify(rows.map((row) => (row.exchange ? { ...row, exchange: exchangeText(row) } : row)));

/** An entity whose order is held up for a subscription. */
interface Held {
  readonly subscription_id: string;
  readonly entity_id: string;
  readonly partition: number;
}

/** Named, since a next release may add columns that this one can't fill. */
const COLUMNS = `subscription_id, seq, event_id, kind, entity_id, partition, state, is_replay, tries, taken, status, reason, first_time,
                 next_time, retry_time, changed_time, duration_ms, exchange`;
/** The columns of `given`. */
const GIVEN = COLUMNS.replace(/\w+/g, "given.$&");

// A row that exists was written before a process ended: it stays as it is. A row that is saved behind others becomes due when no earlier
// row waits any more: another process has settled that one meanwhile.
const PUT = statement(
  "put_deliveries",
  `with given as (
     select row.*
       from json_populate_recordset(null::deliveries, $1::json) as row
       join subscriptions on subscriptions.id = row.subscription_id
      order by row.subscription_id, row.seq
        ${LOCK_SUBSCRIPTIONS}
   )
   insert into deliveries (subscription_id, seq, event_id, kind, entity_id, partition, state, is_replay, tries, taken, status, reason,
                           first_time, next_time, retry_time, duration_ms, exchange, changed_time)
   select subscription_id, seq, event_id, kind, entity_id, partition, state, is_replay, tries, taken, status, reason, first_time,
          case when state = 'waiting' and next_time is null
                and not exists (
                  select from deliveries earlier
                   where earlier.subscription_id = given.subscription_id and earlier.entity_id = given.entity_id
                     and earlier.state = 'waiting' and earlier.is_replay = given.is_replay and earlier.seq < given.seq)
                and not exists (
                  select from given earlier
                   where earlier.subscription_id = given.subscription_id and earlier.entity_id = given.entity_id
                     and earlier.state = 'waiting' and earlier.is_replay = given.is_replay and earlier.seq < given.seq)
               then changed_time else next_time end,
          retry_time, duration_ms, exchange, changed_time
     from given
    order by subscription_id, seq
   on conflict (subscription_id, seq) do update
     set next_time = case when deliveries.state in ('waiting', 'aside') then coalesce(deliveries.next_time, excluded.next_time) end
   returning subscription_id, seq, state`,
);
const SAVE_DEAD_LETTER = statement(
  "bury_deliveries",
  `insert into deliveries (${COLUMNS})
   select ${GIVEN}
     from json_populate_recordset(null::deliveries, $1::json) as given
     join subscriptions on subscriptions.id = given.subscription_id
      ${LOCK_SUBSCRIPTIONS}
   on conflict (subscription_id, seq) do update
     set state = 'dead', tries = excluded.tries, status = excluded.status, reason = excluded.reason,
         next_time = null, retry_time = null, changed_time = excluded.changed_time`,
);
// The last deliveries are for administrators; a lost one does no harm, so the commit need not wait for the disk. A row that waits
// for another delivery stays waiting. Rows are written in one order, so that two processes never wait for each other.
const NOTE = statement(
  "note_deliveries",
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
   insert into deliveries (${COLUMNS})
   select ${GIVEN}
     from relaxed, json_populate_recordset(null::deliveries, $1::json) as given
     join subscriptions on subscriptions.id = given.subscription_id
    order by given.subscription_id, given.seq
      ${LOCK_SUBSCRIPTIONS}
   on conflict (subscription_id, seq) do update
     set state = 'delivered', tries = deliveries.tries + 1, status = excluded.status, reason = null,
         next_time = null, retry_time = null, duration_ms = excluded.duration_ms, exchange = excluded.exchange,
         changed_time = excluded.changed_time
     where deliveries.state = 'delivered' or not deliveries.is_replay`,
);
// The oldest row that is kept is found once for each subscription: as a condition of a join, it was found for each row, in 10 ms a second.
// Another process may remove the same rows at the same time: neither waits for the other.
const FORGET = statement(
  "forget_deliveries",
  `with oldest as materialized (
     select asked.id, (
         select kept.seq from deliveries kept
          where kept.subscription_id = asked.id and kept.state = 'delivered'
          order by kept.seq desc
         offset $2 - 1 limit 1) as seq
       from unnest($1::uuid[]) as asked (id))
   delete from deliveries
    where ctid = any(array(
      select earlier.ctid
        from oldest
       cross join lateral (
         select deliveries.ctid from deliveries
          where deliveries.subscription_id = oldest.id and deliveries.state = 'delivered' and deliveries.seq < oldest.seq
            for update skip locked) earlier))`,
);
// A process that lost the partition changes nothing; a process that repeats the statement because the reply was lost gets the same reply.
// The row that was held up behind a settled one becomes due.
const SETTLE = statement(
  "settle_delivery",
  `with settled as (
     update deliveries
        set state = $3, tries = $4, taken = $5, status = $6, reason = $7, first_time = $8, next_time = $9, retry_time = $10,
            changed_time = $11, duration_ms = $15, exchange = coalesce($16, exchange)
      where subscription_id = $1 and seq = $2
        and ((state = $12 and tries = $13 and taken = $14) or (state = $3 and tries = $4 and taken = $5 and changed_time = $11))
     returning subscription_id, entity_id, is_replay, seq
   ), following as (
     select next.subscription_id, next.seq
       from settled
      cross join lateral (
        select subscription_id, seq from deliveries
         where subscription_id = settled.subscription_id and entity_id = settled.entity_id and state = 'waiting'
           and is_replay = settled.is_replay and seq <> settled.seq
         order by seq
         limit 1) next
      where $3 <> 'waiting'
   ), moved as (
     update deliveries set next_time = coalesce(next_time, $11)
       from following
      where deliveries.subscription_id = following.subscription_id and deliveries.seq = following.seq
   )
   select exists (select from settled) as is_settled, exists (select from following) as is_followed`,
);
const DUE = statement(
  "due_deliveries",
  `select due.*
     from subscriptions
    cross join lateral (
      select ${DELIVERY_COLUMNS} from deliveries
       where subscription_id = subscriptions.id and next_time <= $1 and partition = any($2::smallint[])
         and not (is_replay and state = 'waiting' and exists (
           select from deliveries earlier
            where earlier.subscription_id = deliveries.subscription_id and earlier.entity_id = deliveries.entity_id
              and earlier.state = 'waiting' and earlier.is_replay and earlier.seq < deliveries.seq))
       order by next_time, seq
       limit $3) due
    where subscriptions.off_time is null`,
);
const FIND_WAITING_ENTITIES = statement(
  "held_entities",
  `select distinct subscription_id, entity_id, partition
     from deliveries
    where subscription_id = any($1::uuid[]) and partition = any($2::smallint[]) and state = 'waiting' and not is_replay`,
);
const WAITING_COUNTS = statement(
  "waiting_deliveries",
  `select s.id, waiting.count
     from subscriptions s
    cross join lateral (
      select count(*)::integer as count
        from (select from deliveries where subscription_id = s.id and state in ('waiting', 'aside') limit $1) as first) waiting
    where s.kind = 'webhook' and s.off_time is null and waiting.count > 0`,
);
const REPAIR_DELIVERIES = statement(
  "mend_deliveries",
  `update deliveries set next_time = $2
    where state = 'waiting' and next_time is null and partition = any($1::smallint[])
      and not exists (
        select from deliveries earlier
         where earlier.subscription_id = deliveries.subscription_id and earlier.entity_id = deliveries.entity_id
           and earlier.state = 'waiting' and earlier.is_replay = deliveries.is_replay and earlier.seq < deliveries.seq)`,
);

/** Rows of the table `deliveries`, for the dispatcher. */
export const deliveryStore = (db: Db) => ({
  /** -> the state of each row afterwards; rows of removed subscriptions are left out */
  put: (rows: readonly EventDelivery[]) =>
    db.rows<Pick<EventDelivery, "subscription_id" | "seq" | "state">>(PUT, [recordset(rows)]),
  saveDeadLetter: (row: EventDelivery) => db.rows(SAVE_DEAD_LETTER, [recordset([row])]),
  /** Keeps the last `keep` delivered rows of each subscription. */
  recordDelivered: async (rows: readonly EventDelivery[], recordedMax: number): Promise<void> => {
    await db.rows(NOTE, [recordset(rows)]);
    await db.rows(FORGET, [[...new Set(rows.map((row) => row.subscription_id))], recordedMax]);
  },
  /**
   * -> whether a later event of the entity becomes due; undefined when the row was neither as `before` nor as `after`, and nothing was
   * changed
   */
  settle: async (
    before: EventDelivery,
    after: EventDelivery,
  ): Promise<{ readonly isFollowed: boolean } | undefined> => {
    const result = await db.one<{ is_settled: boolean; is_followed: boolean }>(SETTLE, [
      before.subscription_id,
      before.seq,
      after.state,
      after.tries,
      after.taken,
      after.status,
      after.reason,
      after.first_time,
      after.next_time,
      after.retry_time,
      after.changed_time,
      before.state,
      before.tries,
      before.taken,
      after.duration_ms,
      exchangeText(after),
    ]);
    return result?.is_settled ? { isFollowed: result.is_followed } : undefined;
  },
  /** Due rows, at most `limit` of each subscription, those due longest first. */
  due: (now: Date, partitions: readonly number[], limit: number) =>
    db.rows<EventDelivery>(DUE, [now, partitions, limit]),
  heldEntities: (subscriptions: readonly string[], partitions: readonly number[]) =>
    db.rows<Held>(FIND_WAITING_ENTITIES, [subscriptions, partitions]),
  /** How many deliveries of each webhook wait for another attempt, counted up to `max`. */
  waitingCounts: (max: number) => db.rows<{ readonly id: string; readonly count: number }>(WAITING_COUNTS, [max]),
  /** Makes rows due that no earlier row holds up and that a process left without a time when it ended. */
  repair: (partitions: readonly number[], now: Date) => db.rows(REPAIR_DELIVERIES, [partitions, now]),
});
export type DeliveryStore = ReturnType<typeof deliveryStore>;
