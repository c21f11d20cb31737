import { statement, type Db } from "@parley/database";

/** Who hears of an account's events. */
export interface Subscription {
  readonly id: string;
  readonly account_id: number;
  readonly name: string;
  readonly kind: "app";
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  /** The log's end when it was made: it hears what comes after. */
  readonly start_seq: number;
}

export interface NewSubscription extends Omit<Subscription, "account_id" | "start_seq"> {
  /** The account's name. */
  readonly account: string;
  readonly created_time: Date;
}

const LIST = statement(
  "list_subscriptions",
  `select id, account_id, name, kind, url, secret, start_seq from subscriptions order by id`,
);
const ENSURE = statement(
  "ensure_subscription",
  `insert into subscriptions (id, account_id, name, kind, url, secret, start_seq, created_time)
   select $1::uuid, accounts.id, $3, $4, $5, $6, case when is_called then last_value else last_value - 1 end, $7
     from accounts, log_positions
    where accounts.name = $2
   on conflict (account_id, name) do update set url = excluded.url
   returning id, secret`,
);

/** Rows of the table `subscriptions`. */
export const subscriptionStore = (db: Db) => ({
  list: (): Promise<Subscription[]> => db.rows<Subscription>(LIST, []),
  /** -> undefined where there is no such account. One that exists keeps its id, secret and place in the log. */
  ensure: (wanted: NewSubscription) =>
    db.one<{ id: string; secret: string }>(ENSURE, [
      wanted.id,
      wanted.account,
      wanted.name,
      wanted.kind,
      wanted.url,
      wanted.secret,
      wanted.created_time,
    ]),
});
export type SubscriptionStore = ReturnType<typeof subscriptionStore>;
