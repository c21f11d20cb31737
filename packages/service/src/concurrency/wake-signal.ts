import { setMaxListeners } from "node:events";
import { setTimeout as elapse } from "node:timers/promises";
import type { Ports } from "../environment/ports.ts";

/** Level-triggered signal for a single waiting loop. Notifications that arrive while nobody waits coalesce into one. */
export interface WakeSignal {
  notify(): void;
  /** Resolves on the next notification, immediately if one is pending, or after the timeout. @units milliseconds */
  wait(timeoutMs: number): Promise<void>;
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
          const timer = setTimeout(resolve, timeoutMs);
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

/** `sleep` that also ends when the clock is set to or past the time at which it would have ended. */
export const createClockSleep =
  ({ now, onJump }: Pick<Ports, "now" | "onJump">): typeof sleep =>
  async (ms, signal) => {
    if (!onJump) return sleep(ms, signal);
    const due = now().getTime() + ms;
    const passed = new AbortController();
    const removeListener = onJump(() => {
      if (now().getTime() >= due) passed.abort();
    });
    await sleep(ms, AbortSignal.any([signal, passed.signal]));
    removeListener();
  };

/** An abort controller whose signal may have any number of listeners without Node's warning of a leak. */
export const createStopController = (): AbortController => {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
};
