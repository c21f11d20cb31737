import type { Delivery, DeliveryStore } from "./db/deliveries.ts";

/** The last deliveries to each subscription, for whoever looks at them: written now and then, off the way of events. */
export interface Journal {
  note(delivery: Delivery): void;
  /** Writes what was noted since. @errors what the store throws; it is forgotten then */
  save(): Promise<void>;
}

/** Deliveries kept of each subscription. @assumed The number. */
export const DELIVERIES_KEPT = 100;

export const journal = (store: Pick<DeliveryStore, "note">): Journal => {
  const recent = new Map<string, Delivery[]>();
  return {
    note(delivery) {
      const known = recent.get(delivery.subscription_id);
      if (!known) return void recent.set(delivery.subscription_id, [delivery]);
      known.push(delivery);
      if (known.length >= 2 * DELIVERIES_KEPT) known.splice(0, known.length - DELIVERIES_KEPT);
    },
    async save() {
      // One that was delivered twice stands once.
      const rows = [...recent.values()].flatMap((each) => [
        ...new Map(each.slice(-DELIVERIES_KEPT).map((delivery) => [delivery.seq, delivery])).values(),
      ]);
      recent.clear();
      if (rows.length > 0) await store.note(rows, DELIVERIES_KEPT);
    },
  };
};
