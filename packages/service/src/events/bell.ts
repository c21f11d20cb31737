import { setMaxListeners } from "node:events";
import { setTimeout as elapse } from "node:timers/promises";
import type { Ports } from "../ports.ts";

/** Wakes one sleeper; rings while nobody sleeps are remembered as one. */
export interface Bell {
  ring(): void;
  /** Resolves when rung, at once if it was since the last time, or when the time is over. @units milliseconds */
  wait(ms: number): Promise<void>;
}

export const bell = (): Bell => {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        wake = undefined;
      }
      rung = false;
    },
  };
};

/** Waits, unless or until the signal says that it is no use. @units milliseconds */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await elapse(ms, undefined, { signal }).catch(() => undefined);
};

/** Waits that end too when the clock is set past the same time. */
export const clockPause =
  ({ now, onJump }: Pick<Ports, "now" | "onJump">): typeof pause =>
  async (ms, signal) => {
    if (!onJump) return pause(ms, signal);
    const due = now().getTime() + ms;
    const over = new AbortController();
    const forget = onJump(() => {
      if (now().getTime() >= due) over.abort();
    });
    await pause(ms, AbortSignal.any([signal, over.signal]));
    forget();
  };

/** A signal that many may listen to at once without Node taking it for a leak. */
export const stopper = (): AbortController => {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
};
