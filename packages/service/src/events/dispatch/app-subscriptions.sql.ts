import { statement, type Db } from "@parley/database";
import { installedAppName } from "./subscriptions.sql.ts";

// The lock keeps the account open until the transaction ends.
const LOCK_ACCOUNT = statement(
  "lock_account_of_app",
  `select id, name, closed_time is not null as is_closed from accounts where name = $1 for share`,
);
const PUT = statement(
  "put_app_subscription",
  `insert into subscriptions (id, account_id, name, kind, url, secret, actions, created_time, off_time, off_reason, start_seq)
   select $1, $2, $3, 'app', $4, $5, $6::text[], $7::timestamptz, case when $8 then $7::timestamptz end,
          case when $8 then 'paused' end, case when is_called then last_value else last_value - 1 end
     from log_positions
   on conflict (account_id, name) do update
     set url = excluded.url, secret = excluded.secret, actions = excluded.actions,
         off_time = case when $8 then coalesce(subscriptions.off_time, excluded.off_time) end,
         off_reason = excluded.off_reason
   returning id`,
);
const FIND = statement(
  "app_subscription",
  `select id from subscriptions where account_id = $1 and name = $2 and kind = 'app' for update`,
);

const ADDRESSES = statement(
  "app_addresses_of_account",
  `select distinct url from subscriptions where account_id = $1 and kind = 'app' order by url limit 1000`,
);

/** -> the addresses at which apps of an account receive events, including paused apps */
export const appAddresses =
  (db: Db) =>
  async (accountId: number): Promise<string[]> =>
    (await db.rows<{ url: string }>(ADDRESSES, [accountId])).map(({ url }) => url);

/** The platform's values for the subscription of an installed app. */
interface InstalledAppSubscription {
  readonly account_id: number;
  readonly app: string;
  readonly url: string;
  readonly secret: string;
  /** Kinds of events that it receives; null: all that apps can handle. */
  readonly events: readonly string[] | null;
  readonly isPaused: boolean;
}

/** Subscriptions of installed apps in the table `subscriptions`. After a change, notify all processes: `notify(db, "control")`. */
export const appSubscriptionStore = (tx: Db) => ({
  /** Keeps the account as it is until the transaction ends. -> undefined for an unknown name */
  lockAccount: (name: string) =>
    tx.one<{ readonly id: number; readonly name: string; readonly is_closed: boolean }>(LOCK_ACCOUNT, [name]),
  /** An existing subscription keeps its id and its position in the log, and a paused one the time of its pause. -> its id */
  put: async (
    { account_id, app, url, secret, events, isPaused }: InstalledAppSubscription,
    { id, now }: { readonly id: string; readonly now: Date },
  ): Promise<string> => {
    const values = [id, account_id, installedAppName(app), url, secret, events, now, isPaused];
    return (await tx.one<{ id: string }>(PUT, values))?.id ?? id;
  },
  /** -> the id of the subscription, which is locked until the transaction ends */
  find: async (accountId: number, app: string): Promise<string | undefined> =>
    (await tx.one<{ id: string }>(FIND, [accountId, installedAppName(app)]))?.id,
});
