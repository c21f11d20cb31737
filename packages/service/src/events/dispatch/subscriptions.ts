import { webhookSecret } from "@parley/egress";
import type { Db } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import { notify } from "../../base/log/notifications.sql.ts";
import { subscriptionStore, type Subscription } from "./subscriptions.sql.ts";

/** @units bytes */
const SECRET_BYTES = 32;

export interface Subscriptions {
  /**
   * Subscribes an address to an account's events. A second call for the same account and name keeps id, secret and position in the log,
   * and changes the address.
   * @errors Error for an unknown account
   */
  readonly ensure: (
    wanted: Pick<Subscription, "name" | "kind" | "url"> & { readonly account: string },
  ) => Promise<{ id: string; secret: string }>;
  readonly list: () => Promise<Subscription[]>;
  /** Removes an account's subscriptions of the kind except those with these names and those of installed apps. */
  readonly keepOnly: (wanted: {
    readonly account: string;
    readonly kind: Subscription["kind"];
    readonly names: readonly string[];
  }) => Promise<void>;
  /** -> the number of committed events that a subscription has not received yet */
  readonly pendingEvents: (wanted: { readonly account: string; readonly name: string }) => Promise<number>;
}

export const createSubscriptions = (db: Db, ports: Ports): Subscriptions => {
  const store = subscriptionStore(db);
  return {
    ensure: async ({ account, name, kind, url }) => {
      // A subscription that exists uses no id: a reset that starts anew gets the same ids as before.
      const subscription =
        (await store.move(account, name, url)) ??
        (await store.ensure({
          id: ports.newId(),
          account,
          name,
          kind,
          url,
          secret: webhookSecret(ports.random(SECRET_BYTES)),
          created_time: ports.now(),
        }));
      if (!subscription) throw new Error(`there is no account "${account}"`);
      await notify(db, "control");
      return subscription;
    },
    list: store.list,
    keepOnly: async ({ account, kind, names }) => {
      const removed = await store.removeOthers(account, kind, names);
      if (removed.length > 0) await notify(db, "control");
    },
    pendingEvents: ({ account, name }) => store.pendingEvents(account, name),
  };
};

/** The subscriptions that this process delivers events to, as last read from the database. */
export interface ActiveSubscriptions {
  /** -> undefined for a subscription that is turned off or removed */
  get(id: string): Subscription | undefined;
  all(): readonly Subscription[];
  ofAccount(accountId: number): readonly Subscription[];
  isEmpty(): boolean;
  replace(subscriptions: readonly Subscription[]): void;
  /** Ends deliveries to a subscription until the next `replace` that contains it. */
  remove(id: string): void;
  /** Calls the listener with the id of each subscription that is no longer active. */
  onRemoved(listener: (id: string) => void): void;
}

const groupByAccount = (subscriptions: readonly Subscription[]): ReadonlyMap<number, readonly Subscription[]> => {
  const groups = new Map<number, Subscription[]>();
  for (const subscription of subscriptions) {
    const group = groups.get(subscription.account_id);
    if (group) group.push(subscription);
    else groups.set(subscription.account_id, [subscription]);
  }
  return groups;
};

export const createActiveSubscriptions = (): ActiveSubscriptions => {
  let byId: ReadonlyMap<string, Subscription> = new Map();
  let everyone: readonly Subscription[] = [];
  let byAccount: ReadonlyMap<number, readonly Subscription[]> = new Map();
  const listeners: ((id: string) => void)[] = [];

  const replace = (subscriptions: readonly Subscription[]): void => {
    const before = byId;
    everyone = subscriptions;
    byId = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
    byAccount = groupByAccount(subscriptions);
    for (const id of before.keys()) if (!byId.has(id)) for (const listener of listeners) listener(id);
  };

  return {
    get: (id) => byId.get(id),
    all: () => everyone,
    ofAccount: (accountId) => byAccount.get(accountId) ?? [],
    isEmpty: () => byId.size === 0,
    replace,
    remove: (id) => replace(everyone.filter((subscription) => subscription.id !== id)),
    onRemoved: (listener) => void listeners.push(listener),
  };
};
