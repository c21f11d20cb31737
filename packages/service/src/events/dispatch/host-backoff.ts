import type { Log } from "@parley/telemetry";
import { sleep as sleepMs, withLinkedAbort } from "../../base/concurrency/wake-signal.ts";

/** Time between two checks of the condition of a wait. @units milliseconds */
const CONDITION_CHECK_MS = 250;

/** Sleeps no longer than the condition holds. */
export const sleepWhile = async (
  holds: () => boolean,
  ms: number,
  signal: AbortSignal,
  sleep = sleepMs,
): Promise<void> => {
  await withLinkedAbort(signal, async (linked) => {
    const check = setInterval(() => {
      if (!holds()) linked.abort();
    }, CONDITION_CHECK_MS);
    // One sleep for the whole time: a jump of the clock ends it.
    await sleep(ms, linked.signal).finally(() => clearInterval(check));
  });
};

/** Waits for a receiver that is unreachable. Such an attempt says nothing about the event, so it uses up no attempt of the event. */
export interface HostBackoff {
  /** Resolves when an attempt makes sense, or when the signal aborts. */
  whenReachable(signal: AbortSignal): Promise<void>;
  /** The receiver could not be reached. */
  unreachable(reason: string, signal: AbortSignal): void | Promise<void>;
  /** The receiver was reached. */
  reached(): void;
}

interface SharedBackoffDeps {
  /** The present address of the host; undefined while the subscription is paused or removed. */
  readonly url: () => string | undefined;
  /** Aborts when the dispatcher ends. */
  readonly shutdownSignal: AbortSignal;
  readonly log: Log;
}

/**
 * Backoff that all deliveries to one host share.
 *
 * States: reachable → waiting (each failure in a row doubles the wait) → reachable.
 */
export const createSharedBackoff = (
  [minWaitMs, maxWaitMs]: readonly [number, number],
  { url, shutdownSignal, log }: SharedBackoffDeps,
): HostBackoff => {
  let waitMs = 0;
  let waiting: Promise<void> | undefined;
  /** Another address is attempted soon, and a pause ends the wait. */
  const waitForHost = (ms: number): Promise<void> => {
    const before = url();
    return sleepWhile(() => url() === before, ms, shutdownSignal);
  };
  return {
    async whenReachable(signal) {
      while (waiting && !signal.aborted && !shutdownSignal.aborted) await waiting;
    },
    unreachable(reason) {
      if (waiting) return;
      if (waitMs === 0) log(`deliveries wait: ${reason}`, { level: "error" });
      waitMs = Math.min(Math.max(waitMs * 2, minWaitMs), maxWaitMs);
      waiting = waitForHost(waitMs).then(() => {
        waiting = undefined;
      });
    },
    reached() {
      if (waitMs > 0) log("deliveries continue");
      waitMs = 0;
    },
  };
};
