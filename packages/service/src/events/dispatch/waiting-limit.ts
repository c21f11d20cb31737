import { sleep } from "../../base/concurrency/wake-signal.ts";
import type { DeliveryStore, EventDelivery } from "./deliveries.sql.ts";
import type { RequestOutcome } from "./subscriber-kind.ts";

/** How many deliveries of a webhook wait for another attempt. */
export interface WaitingLimitRules {
  /** Number at which later events stay in the log, which has them anyway. */
  readonly max: number;
  /** Time between two events that are attempted all the same, to find out whether the receiver works again. @units milliseconds */
  readonly probeMs: number;
  /** Time between two counts of the deliveries. @units milliseconds */
  readonly countMs: number;
}

/**
 * Bounds the rows that a receiver that does not answer can fill. States of a webhook: below the limit; at the limit and failing, where one
 * event passes now and then; at the limit and accepting, where all events pass.
 */
export interface WaitingLimit {
  /** Resolves when the event may be attempted, or when the signal aborts. */
  turn(subscriptionId: string, signal: AbortSignal): Promise<void>;
  /** An attempt has ended. */
  attempted(subscriptionId: string, outcome: RequestOutcome): void;
  /** A delivery waits for another attempt. */
  added(subscriptionId: string): void;
  /**
   * -> why the subscription is turned off after an attempt; undefined: it is not
   * @assumed A webhook is turned off when an event of it is given up while it is at the limit and accepts nothing.
   */
  offReason(after: Pick<EventDelivery, "subscription_id" | "state">, outcome: RequestOutcome): string | undefined;
  /** Counts the waiting deliveries. */
  count(): Promise<void>;
}

interface WaitingLimitDeps {
  readonly rules: WaitingLimitRules;
  readonly store: Pick<DeliveryStore, "waitingCounts">;
  readonly monotonicMs: () => number;
}

/** Time between two looks at whether an event may be attempted. @units milliseconds */
const POLL_MS = 250;

const STUCK = "it has accepted nothing for so long that an event was given up while no more deliveries could wait";

export const createWaitingLimit = ({ rules, store, monotonicMs }: WaitingLimitDeps): WaitingLimit => {
  let counts = new Map<string, number>();
  /** Webhooks at the limit whose last attempt was accepted. */
  const accepting = new Set<string>();
  const probedAt = new Map<string, number>();

  const isFull = (id: string): boolean => (counts.get(id) ?? 0) >= rules.max;
  const isStuck = (id: string): boolean => isFull(id) && !accepting.has(id);
  /** -> whether it is time for an event to be attempted */
  const takeProbe = (id: string): boolean => {
    const nowMs = monotonicMs();
    const last = probedAt.get(id);
    const isDue = last !== undefined && nowMs - last >= rules.probeMs;
    if (last === undefined || isDue) probedAt.set(id, nowMs);
    return isDue;
  };

  return {
    async turn(id, signal) {
      while (isStuck(id) && !signal.aborted && !takeProbe(id)) await sleep(POLL_MS, signal);
    },
    attempted(id, { kind }) {
      if (kind !== "accepted") accepting.delete(id);
      else if (isFull(id)) accepting.add(id);
    },
    offReason({ subscription_id: id, state }, outcome) {
      if (outcome.kind === "failed" && outcome.isOff) return outcome.reason;
      return state === "dead" && isStuck(id) ? STUCK : undefined;
    },
    added: (id) => void counts.set(id, (counts.get(id) ?? 0) + 1),
    async count() {
      counts = new Map((await store.waitingCounts(rules.max)).map(({ id, count }) => [id, count]));
      for (const id of [...accepting, ...probedAt.keys()])
        if (!isFull(id)) {
          accepting.delete(id);
          probedAt.delete(id);
        }
    },
  };
};
