import { type DeliveryState, RECENT_DELIVERIES, type StreamEventKind } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { DELIVERY_COLUMNS, type EventDelivery } from "./deliveries.sql.ts";
import { isToCome } from "./partition-cursor.sql.ts";
import { wantsKind, type ListedSubscription } from "./subscriptions.sql.ts";

/** A time range: the start is included, the end is not. */
interface Span {
  readonly from: Date;
  readonly to: Date;
}

// Events that will be delivered anyway are left out: they are after the cursor and have no delivered row. The first event of each entity
// is due; the others follow it. A replayed delivery starts without attempts.
const again = (chosen: string) => `
  with chosen as materialized (${chosen})
  insert into deliveries (subscription_id, seq, event_id, kind, entity_id, partition, state, is_replay, tries, taken, next_time, changed_time)
  select $1, seq, id, kind, entity_id, partition, 'waiting', true, 0, 0,
         case when row_number() over (partition by entity_id order by seq) = 1 then $2::timestamptz end, $2
    from chosen
  on conflict (subscription_id, seq) do update
    set state = 'waiting', is_replay = true, tries = 0, taken = 0, first_time = null, retry_time = null,
        next_time = excluded.next_time, changed_time = excluded.changed_time
    where deliveries.state <> 'waiting'
  returning seq`;

const DELIVERED_EVENTS = `
  select outbox.seq, outbox.id, outbox.kind, outbox.entity_id, outbox.partition
    from subscriptions
    join outbox on outbox.account_id = subscriptions.account_id
    left join cursors on cursors.subscription_id = subscriptions.id and cursors.partition = outbox.partition
    left join deliveries had on had.subscription_id = subscriptions.id and had.seq = outbox.seq and had.state = 'delivered'
   where subscriptions.id = $1 and (not ${isToCome("cursors", "subscriptions", "outbox.seq")} or had.seq is not null)`;

const REDELIVER_EVENT = statement("", again(`${DELIVERED_EVENTS} and outbox.id = $3`));
const REDELIVER_PERIOD = statement(
  "",
  again(
    `${DELIVERED_EVENTS} and outbox.created_time >= $3 and outbox.created_time < $4 and outbox.kind = any($5::text[])`,
  ),
);
const FAILED = statement(
  "",
  again(`
  select deliveries.seq, event_id as id, deliveries.kind, deliveries.entity_id, deliveries.partition
    from deliveries join outbox using (seq)
   where subscription_id = $1 and state in ('dead', 'aside')`),
);
const FIND_EVENT = statement("", `select 1 from outbox where account_id = $1 and id = $2`);

/** Requests deliveries to be made again, each request in one statement: it takes effect as a whole or not at all. */
export const replayStore = (db: Db) => ({
  /** -> the number of deliveries */
  one: async (subscriptionId: string, now: Date, eventId: string): Promise<number> =>
    (await db.rows(REDELIVER_EVENT, [subscriptionId, now, eventId])).length,
  span: async (subscriptionId: string, now: Date, { from, to }: Span, kinds: readonly string[]): Promise<number> =>
    (await db.rows(REDELIVER_PERIOD, [subscriptionId, now, from, to, kinds])).length,
  failed: async (subscriptionId: string, now: Date): Promise<number> =>
    (await db.rows(FAILED, [subscriptionId, now])).length,
  isKnown: async (accountId: number, eventId: string): Promise<boolean> =>
    (await db.one(FIND_EVENT, [accountId, eventId])) !== undefined,
});

/** A subscription with its progress. */
export interface SubscriptionState extends ListedSubscription {
  readonly to_come: number;
  readonly waiting: number;
  readonly aside: number;
  readonly dead: number;
  readonly missed: number;
  /** Of the newest events that were sent. */
  readonly recent_attempted: number;
  readonly recent_delivered: number;
}

/** Undelivered events are counted up to this number. */
const COUNTED_EVENTS_MAX = 10_000;

const SUBSCRIPTION_STATES = statement(
  "",
  `select s.id, s.account_id, s.name, s.kind, s.url, s.secret, s.start_seq, s.actions, s.off_time, s.off_reason, s.created_time,
          s.missed, counted.waiting, counted.aside, counted.dead, recent.attempted as recent_attempted, recent.delivered as recent_delivered,
          (select count(*)::integer
             from (
               select 1
                 from outbox
                 left join cursors on cursors.subscription_id = s.id and cursors.partition = outbox.partition
                where outbox.account_id = $1 and ${isToCome("cursors", "s", "outbox.seq")}
                  and outbox.seq > far.seq and ${wantsKind("s", "outbox.kind")}
                order by outbox.seq
                limit ${COUNTED_EVENTS_MAX}) ahead) as to_come
     from subscriptions s
    cross join lateral (
      select case when count(*) = $2 then greatest(min(seq), s.start_seq) else s.start_seq end as seq
        from cursors where subscription_id = s.id) far
    cross join lateral (
      select count(*) filter (where state = 'waiting')::integer as waiting,
             count(*) filter (where state = 'aside')::integer as aside,
             count(*) filter (where state = 'dead')::integer as dead
        from deliveries
       where subscription_id = s.id and state in ('waiting', 'aside', 'dead')) counted
    cross join lateral (
      select count(*)::integer as attempted, count(*) filter (where state = 'delivered')::integer as delivered
        from (
          select state from deliveries
           where subscription_id = s.id and tries > 0
           order by seq desc
           limit ${RECENT_DELIVERIES}) newest) recent
    where s.account_id = $1 and ($3::uuid is null or s.id = $3)
    order by s.created_time, s.id`,
);
const PAGE = statement(
  "",
  `select ${DELIVERY_COLUMNS} from deliveries
    where subscription_id = $1 and ($2::text is null or state = $2) and ($3::text is null or kind = $3)
      and seq < coalesce($4::bigint, 9223372036854775807)
    order by seq desc
    limit $5`,
);
// Each part has an index: the second one that of the states, since few delivered rows are kept.
const BY_EVENT = statement(
  "",
  `select ${DELIVERY_COLUMNS}, exchange as exchange_text from deliveries
    where subscription_id = $1 and event_id = $2 and state <> 'delivered'
    union all
   select ${DELIVERY_COLUMNS}, exchange as exchange_text from deliveries
    where subscription_id = $1 and event_id = $2 and state = 'delivered'`,
);

/** Which deliveries of a subscription are read. */
interface DeliverySelection {
  /** Any state when absent. */
  readonly state?: DeliveryState | undefined;
  /** Any kind of event when absent. */
  readonly kind?: StreamEventKind | undefined;
  /** Only positions before this position. */
  readonly before?: string | undefined;
  readonly limit: number;
}

/** Reads of subscriptions and deliveries for administrators. */
export const overviewStore = (db: Db) => ({
  /** Oldest first. @shape partitions: number of partitions; id: of a single subscription, all when absent */
  subscriptionStates: (accountId: number, partitions: number, id?: string) =>
    db.rows<SubscriptionState>(SUBSCRIPTION_STATES, [accountId, partitions, id ?? null]),
  /** Newest first. */
  page: (subscriptionId: string, { state, kind, before, limit }: DeliverySelection) =>
    db.rows<EventDelivery>(PAGE, [subscriptionId, state, kind, before, limit]),
  /** @shape eventId: a UUID; exchange_text: JSON of a RecordedExchange */
  byEvent: (subscriptionId: string, eventId: string) =>
    db.one<EventDelivery & { readonly exchange_text: string | null }>(BY_EVENT, [subscriptionId, eventId]),
});
