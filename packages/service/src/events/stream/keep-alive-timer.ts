/** Moments of an interval over which the listeners are spread. */
const SLOTS = 50;

/** Calls listeners once an interval. */
export interface KeepAliveTimer {
  /** -> the function that ends the calls of the listener */
  add(listener: () => void): () => void;
}

/**
 * One timer for the keep-alives of all streams with this interval. The listeners are spread over the interval, so that thousands of streams do
 * not send at the same moment.
 */
export const createKeepAliveTimer = (intervalMs: number): KeepAliveTimer => {
  const slots = Array.from({ length: SLOTS }, () => new Set<() => void>());
  let present = 0;
  let nextToFill = 0;
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  const tick = (): void => {
    present = (present + 1) % SLOTS;
    for (const listener of slots[present] ?? []) listener();
  };

  return {
    add(listener) {
      nextToFill = (nextToFill + 1) % SLOTS;
      const slot = slots[nextToFill];
      slot?.add(listener);
      count += 1;
      timer ??= setInterval(tick, intervalMs / SLOTS).unref();
      return () => {
        if (!slot?.delete(listener)) return;
        count -= 1;
        if (count > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
};
