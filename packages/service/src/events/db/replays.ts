import { statement, type Db } from "@parley/database";

/** From one time on and before another one. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

// What is still to come by itself is left out: it lies beyond the cursor, and nobody noted that it was delivered. The first of each entity is due; the others follow it. Who began anew is untried.
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

const HAD = `
  select outbox.seq, outbox.id, outbox.kind, outbox.entity_id, outbox.partition
    from subscriptions
    join outbox on outbox.account_id = subscriptions.account_id
    left join cursors on cursors.subscription_id = subscriptions.id and cursors.partition = outbox.partition
    left join deliveries had on had.subscription_id = subscriptions.id and had.seq = outbox.seq and had.state = 'delivered'
   where subscriptions.id = $1 and (outbox.seq <= coalesce(cursors.seq, subscriptions.start_seq) or had.seq is not null)`;

const ONE = statement("", again(`${HAD} and outbox.id = $3`));
const SPAN = statement(
  "",
  again(`${HAD} and outbox.created_time >= $3 and outbox.created_time < $4 and outbox.kind = any($5::text[])`),
);
const FAILED = statement(
  "",
  again(`
  select deliveries.seq, event_id as id, deliveries.kind, deliveries.entity_id, deliveries.partition
    from deliveries join outbox using (seq)
   where subscription_id = $1 and state in ('dead', 'aside')`),
);
const IS_KNOWN = statement("", `select 1 from outbox where account_id = $1 and id = $2`);

/** Asks for deliveries to be made again: each is written in one statement, so that it is asked for whole or not at all. */
export const replayStore = (db: Db) => ({
  /** -> how many */
  one: async (subscriptionId: string, now: Date, eventId: string): Promise<number> =>
    (await db.rows(ONE, [subscriptionId, now, eventId])).length,
  span: async (subscriptionId: string, now: Date, { from, to }: Span, kinds: readonly string[]): Promise<number> =>
    (await db.rows(SPAN, [subscriptionId, now, from, to, kinds])).length,
  failed: async (subscriptionId: string, now: Date): Promise<number> =>
    (await db.rows(FAILED, [subscriptionId, now])).length,
  isKnown: async (accountId: number, eventId: string): Promise<boolean> =>
    (await db.one(IS_KNOWN, [accountId, eventId])) !== undefined,
});
