import type { Subscription } from "./subscriptions.sql.ts";

/** The subscriptions that this process delivers events to, as last read from the database. */
export interface ActiveSubscriptions {
  /** -> undefined for a subscription that is turned off or removed */
  get(id: string): Subscription | undefined;
  all(): readonly Subscription[];
  isEmpty(): boolean;
  replace(subscriptions: readonly Subscription[]): void;
  /** Ends deliveries to a subscription until the next `replace` that contains it. */
  remove(id: string): void;
  /** Calls the listener with the id of each subscription that is no longer active. */
  onRemoved(listener: (id: string) => void): void;
}

export const createActiveSubscriptions = (): ActiveSubscriptions => {
  let byId: ReadonlyMap<string, Subscription> = new Map();
  const listeners: ((id: string) => void)[] = [];

  const replace = (subscriptions: readonly Subscription[]): void => {
    const before = byId;
    byId = new Map(subscriptions.map((subscription) => [subscription.id, subscription]));
    for (const id of before.keys()) if (!byId.has(id)) for (const listener of listeners) listener(id);
  };

  return {
    get: (id) => byId.get(id),
    all: () => [...byId.values()],
    isEmpty: () => byId.size === 0,
    replace,
    remove: (id) => replace([...byId.values()].filter((subscription) => subscription.id !== id)),
    onRemoved: (listener) => void listeners.push(listener),
  };
};
