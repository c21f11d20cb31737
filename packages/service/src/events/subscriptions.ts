import { webhookSecret } from "@parley/egress";
import type { Db } from "@parley/database";
import type { Ports } from "../ports.ts";
import { notify } from "./db/notices.ts";
import { subscriptionStore, type Subscription } from "./db/subscriptions.ts";

/** @units bytes */
const SECRET_BYTES = 32;

export interface Subscriptions {
  /**
   * Lets an account's events be sent to an address. A second call for the same account and name keeps id, secret and place in the
   * log, and moves the address.
   * @errors Error for an account that there is not
   */
  readonly ensure: (
    wanted: Pick<Subscription, "name" | "kind" | "url"> & { readonly account: string },
  ) => Promise<{ id: string; secret: string }>;
  readonly list: () => Promise<Subscription[]>;
  /** Leaves an account no other subscriptions of the kind than those of these names. */
  readonly keepOnly: (wanted: {
    readonly account: string;
    readonly kind: Subscription["kind"];
    readonly names: readonly string[];
  }) => Promise<void>;
  /** -> how many committed events a subscription has not taken yet. */
  readonly toCome: (wanted: { readonly account: string; readonly name: string }) => Promise<number>;
}

export const subscriptions = (db: Db, ports: Ports): Subscriptions => {
  const store = subscriptionStore(db);
  return {
    ensure: async ({ account, name, kind, url }) => {
      // One that is there takes no id: whoever begins anew gets the same ids as before.
      const kept =
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
      if (!kept) throw new Error(`there is no account "${account}"`);
      await notify(db, "control");
      return kept;
    },
    list: store.list,
    keepOnly: async ({ account, kind, names }) => {
      const removed = await store.removeOthers(account, kind, names);
      if (removed.length > 0) await notify(db, "control");
    },
    toCome: ({ account, name }) => store.toCome(account, name),
  };
};
