import { statement, type Db } from "@parley/database";
import type { Delivery, DeliveryState } from "./deliveries.ts";
import type { ListedSubscription } from "./subscriptions.ts";

/** A subscription, and how far it is. */
export interface Standing extends ListedSubscription {
  readonly to_come: number;
  readonly waiting: number;
  readonly aside: number;
  readonly dead: number;
  readonly missed: number;
}

/** Events to come are counted no further. */
const MOST_TO_COME = 10_000;

const STANDINGS = statement(
  "",
  `select s.id, s.account_id, s.name, s.kind, s.url, s.secret, s.start_seq, s.actions, s.off_time, s.off_reason, s.created_time,
          s.missed, counted.waiting, counted.aside, counted.dead,
          (select count(*)::integer
             from (
               select 1
                 from outbox
                 left join cursors on cursors.subscription_id = s.id and cursors.partition = outbox.partition
                where outbox.account_id = s.account_id and outbox.seq > coalesce(cursors.seq, s.start_seq)
                  and outbox.seq > far.seq
                limit ${MOST_TO_COME}) ahead) as to_come
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
    where s.account_id = $1
    order by s.created_time, s.id`,
);
const PAGE = statement(
  "",
  `select * from deliveries
    where subscription_id = $1 and ($2::text is null or state = $2) and seq < coalesce($3::bigint, 9223372036854775807)
    order by seq desc
    limit $4`,
);

/** What the owner looks at: subscriptions and deliveries. */
export const overviewStore = (db: Db) => ({
  /** The oldest first. @shape partitions: how many there are */
  standings: (accountId: number, partitions: number) => db.rows<Standing>(STANDINGS, [accountId, partitions]),
  /** The newest first. */
  page: (
    subscriptionId: string,
    { state, before, limit }: { readonly state?: DeliveryState; readonly before?: string; readonly limit: number },
  ) => db.rows<Delivery>(PAGE, [subscriptionId, state, before, limit]),
});
