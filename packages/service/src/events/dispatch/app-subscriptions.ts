import {
  ACCOUNT_CLOSED,
  ACCOUNT_NOT_FOUND,
  INVALID_VALUE,
  PRODUCT_EVENTS,
  refuse,
  SUBSCRIPTION_NOT_FOUND,
  type AppSubscription,
  type appSubscriptions,
} from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import { EgressFailure, FAILURES, type Egress } from "@parley/egress";
import type { Ports } from "../../base/environment/ports.ts";
import type { RouteHandlers } from "../../http/route-handlers.ts";
import { notify } from "../../base/log/notifications.sql.ts";
import { PARTITIONS } from "../../base/log/store.ts";
import { overviewStore } from "./admin.sql.ts";
import { appSubscriptionStore } from "./app-subscriptions.sql.ts";
import { subscriptionStore } from "./subscriptions.sql.ts";

interface AppSubscriptionDeps {
  readonly pool: Pool;
  readonly ports: Pick<Ports, "now" | "newId">;
  /** The guard of deliveries to apps. */
  readonly egress: Pick<Egress, "vet">;
}

/** Characters that the database accepts in a text, and people can read. */
// eslint-disable-next-line no-control-regex
const APP_NAME = /^[^\0-\x1f\x7f]{1,128}$/;

/** @errors INVALID_VALUE */
const checkEvents = (events: readonly string[]): void => {
  const unknown = events.find((kind) => !Object.hasOwn(PRODUCT_EVENTS, kind));
  if (unknown !== undefined)
    refuse(INVALID_VALUE, `events: '${unknown}' is not one of ${Object.keys(PRODUCT_EVENTS).join(", ")}`);
};

/** Endpoints by which the platform keeps the subscriptions of installed apps. It records the change of the installation itself. */
export const appSubscriptionHandlers = ({
  pool,
  ports: { now, newId },
  egress,
}: AppSubscriptionDeps): RouteHandlers<typeof appSubscriptions> => {
  /**
   * An address that no delivery could be sent to is refused at once.
   * @errors INVALID_VALUE
   * @assumed A host name that does not resolve is accepted: it may resolve later.
   */
  const checkUrl = async (url: string): Promise<void> => {
    try {
      await egress.vet(url);
    } catch (error) {
      if (error instanceof EgressFailure)
        refuse(
          INVALID_VALUE,
          `url: ${FAILURES[error.reason].message}. The service sends events to this machine, to public https addresses, and to the address in PARLEY_PLATFORM_URL.`,
        );
    }
  };

  const stateOf = async (
    db: Db,
    { id, account, account_id, app }: { id: string; account: string; account_id: number; app: string },
  ): Promise<AppSubscription> => {
    const [row] = await overviewStore(db).subscriptionStates(account_id, PARTITIONS, id);
    if (!row) return refuse(SUBSCRIPTION_NOT_FOUND);
    const { url, actions, off_time, to_come, missed } = row;
    return {
      id,
      account,
      app,
      url,
      events: actions && [...actions],
      state: off_time === null ? "on" : "paused",
      ...(off_time && { paused_time: off_time.toISOString() }),
      to_come,
      missed,
    };
  };

  /** The database rejects NUL in texts. @errors ACCOUNT_NOT_FOUND */
  const lockAccount = async (tx: Db, name: string) =>
    (name.includes("\0") ? undefined : await appSubscriptionStore(tx).lockAccount(name)) ?? refuse(ACCOUNT_NOT_FOUND);

  return {
    async putAppSubscription({ params: { account: name, app }, body }) {
      if (!APP_NAME.test(app)) refuse(INVALID_VALUE, "The name of the app must have 1 to 128 characters.");
      const events = body.events ? [...new Set(body.events)] : null;
      checkEvents(events ?? []);
      await checkUrl(body.url);
      const state = await pool.transaction(async (tx) => {
        const account = await lockAccount(tx, name);
        if (account.is_closed) refuse(ACCOUNT_CLOSED);
        const wanted = {
          account_id: account.id,
          app,
          url: body.url,
          secret: body.secret,
          events,
          isPaused: body.paused,
        };
        const id = await appSubscriptionStore(tx).put(wanted, { id: newId(), now: now() });
        return stateOf(tx, { id, account: name, account_id: account.id, app });
      });
      await notify(pool, "control");
      return state;
    },
    async deleteAppSubscription({ params: { account: name, app } }) {
      const state = await pool.transaction(async (tx) => {
        const account = await lockAccount(tx, name);
        const id = APP_NAME.test(app) ? await appSubscriptionStore(tx).find(account.id, app) : undefined;
        if (id === undefined) return refuse(SUBSCRIPTION_NOT_FOUND);
        const before = await stateOf(tx, { id, account: name, account_id: account.id, app });
        await subscriptionStore(tx).remove(account.id, id);
        return before;
      });
      await notify(pool, "control");
      return state;
    },
  };
};
