import type { Attempt } from "./attempt.ts";
import type { EventRow } from "./db/payload.ts";
import type { LogRow } from "./db/log.ts";
import type { Subscription } from "./db/subscriptions.ts";
import type { Kinds } from "./kinds.ts";

/** What one try of an event brought. */
export interface Told {
  readonly attempt: Attempt;
  /** Requests of the event that the receiver has taken by now. */
  readonly taken: number;
  /** The event had nothing for this subscriber. */
  readonly isNothing: boolean;
}

/** Tries an event once: what it makes of requests, one after the other, from the first that was not taken on. */
export type Tell = (
  subscription: Subscription,
  event: Pick<LogRow, "seq" | "kind">,
  before: { readonly tries: number; readonly taken: number; readonly timeoutMs: number },
) => Promise<Told>;

const OWN_ERRORS = new Set(["SyntaxError", "TypeError", "RangeError"]);

const notMade = (error: unknown): Attempt => {
  // An error of the language comes from what the event is made of; any other one from reading it.
  const name = String(typeof error === "object" && error !== null && Reflect.get(error, "name"));
  if (!OWN_ERRORS.has(name)) return { kind: "unreachable", reason: "the database can't be read" };
  return { kind: "failed", reason: `the event can't be made (${name})`, isFinal: false };
};

const GONE: Attempt = { kind: "failed", reason: "the log does not hold it any more", isFinal: true };

/** `read`: -> undefined when the log does not hold the event any more. */
export const telling =
  (kinds: Kinds, read: (seq: number) => Promise<EventRow | undefined>): Tell =>
  async (subscription, event, { tries, taken: before, timeoutMs }) => {
    const kind = kinds[subscription.kind];
    if (!kind?.hears(subscription, event.kind))
      return { attempt: { kind: "accepted" }, taken: before, isNothing: true };
    let taken = before;
    try {
      // Made anew for each try: what was deleted since is not sent.
      const row = await read(event.seq);
      if (!row) return { attempt: GONE, taken, isNothing: false };
      const requests = await kind.payload(subscription, row);
      let attempt: Attempt = { kind: "accepted" };
      for (const outgoing of requests.slice(before)) {
        attempt = await kind.post(subscription, outgoing, { retryCount: taken === before ? tries : 0, timeoutMs });
        if (attempt.kind !== "accepted") break;
        taken += 1;
      }
      return { attempt, taken, isNothing: requests.length === 0 };
    } catch (error) {
      return { attempt: notMade(error), taken, isNothing: false };
    }
  };
