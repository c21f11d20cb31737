import type { Utilization } from "../../base/concurrency/loop-utilization.ts";

/** Limits of the pacing. */
export interface PacingRules {
  /** Utilization of the event loop above which deliveries start more slowly. @units 0 to 1 */
  readonly busyUtilization: number;
  /** Rate at which deliveries start at least, of all subscriptions together. @units starts a second */
  readonly minPerSecond: number;
  /** Rate above which deliveries are not delayed. @units starts a second */
  readonly maxPerSecond: number;
}

/**
 * Delays the start of deliveries while the event loop is busy: customers and agents wait for the reply to a request, an event can wait in the
 * log. Deliveries that are under way are not affected, so a slow receiver does not delay the others.
 *
 * States: unlimited → limited (the loop is busy: the rate falls step by step, to the lowest rate) → unlimited (the rate has risen above
 * the highest rate while the loop was not busy).
 */
interface DeliveryPacing {
  /** Resolves in the order of the calls when a delivery may start, or when the signal aborts. */
  turn(signal: AbortSignal): Promise<void>;
  /** Lets all that wait start at once, and all that follow. */
  close(): void;
}

/** Time between two measurements of the event loop, and between two groups of starts. @units milliseconds */
const MEASURE_MS = 100;
const TICK_MS = 10;
/** Change of the rate with each measurement. */
const DECREASE = 0.8;
const INCREASE = 1.2;

interface PacingDeps {
  readonly rules: PacingRules;
  readonly utilization: Utilization;
  /** Monotonic clock. @units milliseconds */
  readonly now: () => number;
  /** Calls the function periodically. -> a function that stops the calls @units milliseconds */
  readonly repeat: (run: () => void, everyMs: number) => () => void;
}

export const createDeliveryPacing = ({ rules, utilization, now, repeat }: PacingDeps): DeliveryPacing => {
  /** Starts a second; infinite while deliveries are not delayed. */
  let rate = Infinity;
  let startedSinceMeasured = 0;
  let measuredAt = now();
  /** Starts that are allowed now, and the time at which they were counted. */
  let allowance = Infinity;
  let allowedAt = measuredAt;
  let isClosed = false;
  const waiting = new Set<() => void>();
  let endTicks: (() => void) | undefined;

  const measure = (at: number): void => {
    const elapsed = at - measuredAt;
    if (elapsed < MEASURE_MS) return;
    const startedPerSecond = (startedSinceMeasured * 1_000) / elapsed;
    measuredAt = at;
    startedSinceMeasured = 0;
    if (utilization() > rules.busyUtilization)
      rate = Math.max(rules.minPerSecond, Math.min(rate, startedPerSecond) * DECREASE);
    else rate *= INCREASE ** (elapsed / MEASURE_MS);
    if (rate > rules.maxPerSecond) rate = Infinity;
  };

  /** Counts the starts that are allowed now: those of at most one measurement add up. */
  const allow = (): void => {
    const at = now();
    measure(at);
    const most = (rate * MEASURE_MS) / 1_000;
    allowance = rate === Infinity ? Infinity : Math.min(allowance + (rate * (at - allowedAt)) / 1_000, most);
    allowedAt = at;
  };

  const stopTicks = (): void => {
    endTicks?.();
    endTicks = undefined;
  };

  const startWaiting = (): void => {
    allow();
    for (const start of waiting) {
      if (allowance < 1) return;
      start();
    }
    stopTicks();
  };

  const countStart = (): void => {
    allowance -= 1;
    startedSinceMeasured += 1;
  };

  return {
    async turn(signal) {
      allow();
      if ((allowance >= 1 && waiting.size === 0) || isClosed || signal.aborted) return countStart();
      await new Promise<void>((resolve) => {
        const start = (): void => {
          waiting.delete(start);
          signal.removeEventListener("abort", start);
          countStart();
          resolve();
        };
        waiting.add(start);
        signal.addEventListener("abort", start);
        endTicks ??= repeat(startWaiting, TICK_MS);
      });
    },
    close() {
      isClosed = true;
      for (const start of waiting) start();
      stopTicks();
    },
  };
};
