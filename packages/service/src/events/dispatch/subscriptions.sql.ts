import { INSTALLED_APP_PREFIX, PRODUCT_EVENTS } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { isToCome } from "./partition-cursor.sql.ts";

/** A subscriber of an account's events. */
export interface Subscription {
  readonly id: string;
  readonly account_id: number;
  readonly name: string;
  readonly kind: "app" | "webhook";
  readonly url: string;
  /** `whsec_` and base64; encrypted for a webhook. An app's is kept as it is, since the platform derives it. */
  readonly secret: string;
  /** Webhooks: replaced secrets. */
  readonly old_secrets: readonly string[];
  /** Webhooks: end of the time in which each replaced secret signs. */
  readonly old_secrets_until: readonly Date[];
  /** End of the log when it was created: it receives the events after this position. */
  readonly start_seq: number;
  /** Webhooks: the actions that it receives. Apps: the kinds of events. null: all. */
  readonly actions: readonly string[] | null;
  /** Time since which it is off; its position in the log is kept. */
  readonly off_time: Date | null;
  readonly off_reason: string | null;
}

/** A subscription as administrators see it. */
export interface ListedSubscription extends Subscription {
  readonly created_time: Date;
}

interface NewSubscription extends Pick<Subscription, "id" | "name" | "kind" | "url" | "secret"> {
  /** Name of the account. */
  readonly account: string;
  readonly created_time: Date;
}

/** Name of the subscription of an installed app. */
export const installedAppName = (app: string): string => INSTALLED_APP_PREFIX + app;

const APP_EVENT_KINDS = `array[${Object.keys(PRODUCT_EVENTS)
  .map((kind) => `'${kind}'`)
  .join(", ")}]`;
/**
 * SQL condition: an event can make a request for a subscription. It must agree with `wants` of an app (app-subscriber.ts); which events are
 * an action of a webhook is decided when they are delivered.
 */
export const wantsKind = (subscription: string, kind: string): string =>
  `(${subscription}.kind <> 'app' or ${kind} = any(coalesce(${subscription}.actions, ${APP_EVENT_KINDS})))`;

const LIST = statement(
  "list_subscriptions",
  `select s.id, s.account_id, s.name, s.kind, s.url, s.secret, s.old_secrets, s.old_secrets_until, s.start_seq, s.actions,
          s.off_time, s.off_reason
     from subscriptions s
     join accounts a on a.id = s.account_id and a.closed_time is null
    order by s.id`,
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
// The rows are locked in the order in which the dispatcher locks them.
const REMOVE_OTHERS = statement(
  "remove_other_subscriptions",
  `with others as materialized (
     select subscriptions.id
       from subscriptions
       join accounts on accounts.id = subscriptions.account_id
      where accounts.name = $1 and kind = $2 and subscriptions.name <> all($3::text[])
        and not starts_with(subscriptions.name, '${INSTALLED_APP_PREFIX}')
      order by subscriptions.id
        for update of subscriptions)
   delete from subscriptions using others where subscriptions.id = others.id
   returning subscriptions.id`,
);
const COUNT_PENDING = statement(
  "",
  `select count(*)::int as events
     from subscriptions
     join accounts on accounts.id = subscriptions.account_id
     join outbox on outbox.account_id = subscriptions.account_id
     left join cursors on cursors.subscription_id = subscriptions.id and cursors.partition = outbox.partition
    where accounts.name = $1 and subscriptions.name = $2 and ${isToCome("cursors", "subscriptions", "outbox.seq")}
      and ${wantsKind("subscriptions", "outbox.kind")}`,
);

const COLUMNS =
  "id, account_id, name, kind, url, secret, old_secrets, old_secrets_until, start_seq, actions, off_time, off_reason, created_time";
const ADD = statement(
  "add_subscription",
  `insert into subscriptions (id, account_id, name, kind, url, secret, actions, created_time, start_seq)
   select $1, $2, $3, $4, $5, $6, $7, $8, case when is_called then last_value else last_value - 1 end
     from log_positions
   on conflict (account_id, name) do nothing
   returning id`,
);
const OF_ACCOUNT = statement(
  "account_subscriptions",
  `select ${COLUMNS} from subscriptions where account_id = $1 and ($2::text is null or kind = $2) order by created_time, id`,
);
const BY_ID = statement("subscription", `select ${COLUMNS} from subscriptions where account_id = $1 and id = $2`);
const CHANGE = statement(
  "change_subscription",
  `update subscriptions
      set url = coalesce($3, url), secret = coalesce($4, secret), actions = case when $5 then $6::text[] else actions end
    where account_id = $1 and id = $2
   returning id`,
);
const RENEW = statement(
  "renew_subscription",
  `update subscriptions set secret = $3, old_secrets = $4, old_secrets_until = $5 where account_id = $1 and id = $2`,
);
const TURN_OFF = statement(
  "turn_subscription_off",
  `update subscriptions set off_time = $3, off_reason = $2
     from accounts
    where subscriptions.id = $1 and off_time is null and accounts.id = account_id
   returning accounts.name as account`,
);
const TURN_ON = statement(
  "turn_subscription_on",
  `update subscriptions set off_time = null, off_reason = null where id = $1 and off_time is not null returning id`,
);
const REMOVE = statement(
  "remove_subscription",
  `delete from subscriptions where account_id = $1 and id = $2 returning id`,
);

/** Rows of the table `subscriptions`. After a change, notify all processes: `notify(db, "control")`. */
export const subscriptionStore = (db: Db) => ({
  /** Those of open accounts. */
  list: (): Promise<Subscription[]> => db.rows<Subscription>(LIST, []),
  /** -> undefined for an unknown account. An existing subscription keeps its id, secret and position in the log. */
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
  /** The subscription receives the events that come after. -> false when the account has one with the name */
  add: async (
    wanted: Omit<NewSubscription, "account"> & Pick<Subscription, "account_id" | "actions">,
  ): Promise<boolean> => {
    const { id, account_id, name, kind, url, secret, actions, created_time } = wanted;
    return (await db.one(ADD, [id, account_id, name, kind, url, secret, actions, created_time])) !== undefined;
  },
  /** Oldest first. @shape kind: all when absent */
  ofAccount: (accountId: number, kind?: Subscription["kind"]) =>
    db.rows<ListedSubscription>(OF_ACCOUNT, [accountId, kind]),
  byId: (accountId: number, id: string) => db.one<ListedSubscription>(BY_ID, [accountId, id]),
  /** Absent members stay as they are. -> false for an unknown subscription */
  change: async (
    accountId: number,
    id: string,
    to: Partial<Pick<Subscription, "url" | "secret" | "actions">>,
  ): Promise<boolean> => {
    const values = [accountId, id, to.url, to.secret, to.actions !== undefined, to.actions];
    return (await db.one(CHANGE, values)) !== undefined;
  },
  renew: (
    accountId: number,
    id: string,
    { secret, old_secrets, old_secrets_until }: Pick<Subscription, "secret" | "old_secrets" | "old_secrets_until">,
  ) => db.rows(RENEW, [accountId, id, secret, old_secrets, old_secrets_until]),
  /** -> the name of its account; undefined when it is off already, or unknown */
  turnOff: (id: string, reason: string, time: Date) => db.one<{ account: string }>(TURN_OFF, [id, reason, time]),
  /** Delivery continues from its position in the log. -> false when it is on already, or unknown */
  turnOn: async (id: string): Promise<boolean> => (await db.one(TURN_ON, [id])) !== undefined,
  remove: async (accountId: number, id: string): Promise<boolean> =>
    (await db.one(REMOVE, [accountId, id])) !== undefined,
  /** -> undefined for an unknown name */
  move: (account: string, name: string, url: string) =>
    db.one<{ id: string; secret: string }>(MOVE, [account, name, url]),
  /** Removes an account's subscriptions except those with these names and those of installed apps. */
  removeOthers: (account: string, kind: Subscription["kind"], names: readonly string[]) =>
    db.rows<{ id: string }>(REMOVE_OTHERS, [account, kind, names]),
  /** -> the number of events in the log that a subscription has not received yet and that it wants */
  pendingEvents: async (account: string, name: string): Promise<number> =>
    (await db.one<{ events: number }>(COUNT_PENDING, [account, name]))?.events ?? 0,
});
