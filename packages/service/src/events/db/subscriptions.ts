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

const MOVE = statement(
  "move_subscription",
  `update subscriptions set url = $3
     from accounts
    where accounts.id = subscriptions.account_id and accounts.name = $1 and subscriptions.name = $2
   returning subscriptions.id, subscriptions.secret`,
);
const REMOVE_OTHERS = statement(
  "remove_other_subscriptions",
  `delete from subscriptions using accounts
    where accounts.id = subscriptions.account_id and accounts.name = $1 and kind = $2 and subscriptions.name <> all($3::text[])
   returning subscriptions.id`,
);
const TO_COME = statement(
  "",
  `select count(*)::int as events
     from subscriptions
     join accounts on accounts.id = subscriptions.account_id
     join outbox on outbox.account_id = subscriptions.account_id
     left join cursors on cursors.subscription_id = subscriptions.id and cursors.partition = outbox.partition
    where accounts.name = $1 and subscriptions.name = $2 and outbox.seq > coalesce(cursors.seq, subscriptions.start_seq)`,
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
  /** -> undefined where there is none of the name. */
  move: (account: string, name: string, url: string) =>
    db.one<{ id: string; secret: string }>(MOVE, [account, name, url]),
  /** Leaves an account the subscriptions of these names only. */
  removeOthers: (account: string, kind: Subscription["kind"], names: readonly string[]) =>
    db.rows<{ id: string }>(REMOVE_OTHERS, [account, kind, names]),
  /** -> how many events of the log a subscription has not taken yet. */
  toCome: async (account: string, name: string): Promise<number> =>
    (await db.one<{ events: number }>(TO_COME, [account, name]))?.events ?? 0,
});
export type SubscriptionStore = ReturnType<typeof subscriptionStore>;
