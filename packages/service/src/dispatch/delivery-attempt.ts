import type { EventRow } from "../event-payload/store.ts";
import type { LogRow } from "../log/store.ts";
import type { DeliveryStore, EventDelivery } from "./deliveries.sql.ts";
import type { RequestOutcome, SubscriberKinds } from "./subscriber-kind.ts";
import type { Subscription } from "./subscriptions.sql.ts";

/** Result of one attempt to deliver an event. */
interface DeliveryAttempt {
  /** Outcome of the last request that was sent. */
  readonly outcome: RequestOutcome;
  /** Requests of the event that the receiver has taken by now. */
  readonly taken: number;
  /** Whether the event had nothing for this subscriber. */
  readonly hasNoRequest: boolean;
}

/** Attempts an event once: sends its requests one after the other, from the first that the receiver has not taken. */
export type AttemptDelivery = (
  subscription: Subscription,
  event: Pick<LogRow, "seq">,
  before: { readonly tries: number; readonly taken: number; readonly timeoutMs: number },
) => Promise<DeliveryAttempt>;

const LANGUAGE_ERRORS = new Set(["SyntaxError", "TypeError", "RangeError"]);

/** Outcome when the payload could not be made: errors of the language come from the event's data, others from reading it. */
const payloadFailure = (error: unknown): RequestOutcome => {
  const name = String(typeof error === "object" && error !== null && Reflect.get(error, "name"));
  if (!LANGUAGE_ERRORS.has(name)) return { kind: "unreachable", reason: "the database can't be read" };
  return { kind: "failed", reason: `the event can't be made (${name})`, isFinal: false };
};

const REMOVED_FROM_LOG: RequestOutcome = {
  kind: "failed",
  reason: "the log does not hold it any more",
  isFinal: true,
};

/** @shape read: undefined for an event that is no longer in the log */
export const createAttemptDelivery =
  (kinds: SubscriberKinds, read: (seq: number) => Promise<EventRow | undefined>): AttemptDelivery =>
  async (subscription, event, { tries, taken: takenBefore, timeoutMs }) => {
    const kind = kinds[subscription.kind];
    if (!kind) return { outcome: { kind: "accepted" }, taken: takenBefore, hasNoRequest: true };
    let taken = takenBefore;
    try {
      // The payload is made for each attempt: personal data that was removed meanwhile is not sent.
      const row = await read(event.seq);
      if (!row) return { outcome: REMOVED_FROM_LOG, taken, hasNoRequest: false };
      const requests = await kind.requestsFor(subscription, row);
      let outcome: RequestOutcome = { kind: "accepted" };
      for (const outgoing of requests.slice(takenBefore)) {
        const retryCount = taken === takenBefore ? tries : 0;
        outcome = await kind.send(subscription, outgoing, { retryCount, timeoutMs });
        if (outcome.kind !== "accepted") break;
        taken += 1;
      }
      return { outcome, taken, hasNoRequest: requests.length === 0 };
    } catch (error) {
      return { outcome: payloadFailure(error), taken, hasNoRequest: false };
    }
  };

/** The last deliveries to each subscription, for administrators: written periodically, apart from the delivery itself. */
export interface DeliveryLog {
  record(delivery: EventDelivery): void;
  /** Writes what was recorded since the last call. @errors those of the store; the records are dropped then */
  save(): Promise<void>;
}

/** Deliveries kept for each subscription. @assumed The number. */
const DELIVERIES_KEPT = 100;

export const createDeliveryLog = (store: Pick<DeliveryStore, "note">): DeliveryLog => {
  const recent = new Map<string, EventDelivery[]>();
  return {
    record(delivery) {
      const present = recent.get(delivery.subscription_id);
      if (!present) return void recent.set(delivery.subscription_id, [delivery]);
      present.push(delivery);
      if (present.length >= 2 * DELIVERIES_KEPT) present.splice(0, present.length - DELIVERIES_KEPT);
    },
    async save() {
      // An event that was delivered twice is recorded once.
      const rows = [...recent.values()].flatMap((deliveries) => [
        ...new Map(deliveries.slice(-DELIVERIES_KEPT).map((delivery) => [delivery.seq, delivery])).values(),
      ]);
      recent.clear();
      if (rows.length > 0) await store.note(rows, DELIVERIES_KEPT);
    },
  };
};
