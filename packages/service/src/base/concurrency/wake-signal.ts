import { setMaxListeners } from "node:events";
import { setTimeout as elapse } from "node:timers/promises";
import type { Ports } from "../environment/ports.ts";

/** Level-triggered signal for a single waiting loop. Notifications that arrive while nobody waits coalesce into one notification. */
interface WakeSignal {
  notify(): void;
  /** Resolves on the next notification, immediately if a notification is pending, or after the timeout, if there is one. @units milliseconds */
  wait(timeoutMs?: number): Promise<void>;
}

export const createWakeSignal = (): WakeSignal => {
  let isPending = false;
  let wake: (() => void) | undefined;
  return {
    notify() {
      isPending = true;
      wake?.();
    },
    async wait(timeoutMs) {
      if (!isPending) {
        await new Promise<void>((resolve) => {
          const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      isPending = false;
    },
  };
};

/** Resolves after the time, or as soon as the signal aborts. @units milliseconds */
export const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
  await elapse(ms, undefined, { signal }).catch(() => undefined);
};

/**
 * Waits for the work until the signal aborts. Afterwards the signal refers to nothing of the work, while a promise that loses races keeps
 * a reaction, and the results, of each race for as long as it lives.
 * @errors those of the work
 */
export const untilAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | "aborted"> =>
  new Promise((resolve, reject) => {
    const abort = () => resolve("aborted");
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });

/**
 * Runs work with an abort controller that the signal aborts too. Afterwards the signal refers to nothing of the work: with
 * `AbortSignal.any`, Node 20 keeps an entry of each call for as long as the signal lives.
 * @errors those of the work
 */
export const withLinkedAbort = async <T>(
  signal: AbortSignal,
  work: (linked: AbortController) => Promise<T>,
  linked = createStopController(),
): Promise<T> => {
  const abort = () => linked.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  try {
    return await work(linked);
  } finally {
    signal.removeEventListener("abort", abort);
  }
};

/** `sleep` that also ends when the clock is set to or past the time at which it would have ended. */
export const createClockSleep =
  ({ now, onJump }: Pick<Ports, "now" | "onJump">): typeof sleep =>
  async (ms, signal) => {
    if (!onJump) return sleep(ms, signal);
    const due = now().getTime() + ms;
    await withLinkedAbort(signal, async (linked) => {
      const removeListener = onJump(() => {
        if (now().getTime() >= due) linked.abort();
      });
      await sleep(ms, linked.signal);
      removeListener();
    });
  };

/** An abort controller whose signal may have any number of listeners without Node's warning of a leak. */
export const createStopController = (): AbortController => {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
};
