/** @units milliseconds */
interface RevalidationDelays {
  /** Pause before a reading: events that follow each other closely share it. */
  readonly first: number;
  /** Least time between readings while events arrive. */
  readonly shown: number;
  /** The same while the page is hidden. */
  readonly hidden: number;
}

export interface Revalidation {
  /** Something must be read anew. */
  request(): void;
}

/** Duration of a reading above which the pause grows with it, so that a busy service is asked less often. @units milliseconds */
const SLOW_MS = 50;
const PAUSE_FACTOR_MAX = 3;

/** Reads again what events do not say, soon after a request and seldom while requests arrive. @shape read: must not throw */
export const createRevalidation = (
  read: () => Promise<void>,
  { first, ...intervals }: RevalidationDelays,
): Revalidation => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isRequested = false;
  let lastTime = Number.NEGATIVE_INFINITY;
  let lastDuration = 0;

  const run = async (): Promise<void> => {
    timer = undefined;
    isRequested = false;
    isRunning = true;
    const begun = performance.now();
    await read();
    lastTime = performance.now();
    lastDuration = lastTime - begun;
    isRunning = false;
    if (isRequested) schedule();
  };
  const schedule = (): void => {
    if (timer !== undefined || isRunning) return;
    const interval = intervals[document.visibilityState === "visible" ? "shown" : "hidden"];
    const pause = interval * Math.min(Math.max(1, lastDuration / SLOW_MS), PAUSE_FACTOR_MAX);
    timer = setTimeout(() => void run(), Math.max(first, lastTime + pause - performance.now()));
  };
  // A page that is shown again does not wait for the longer interval.
  document.addEventListener("visibilitychange", () => {
    if (timer === undefined || document.visibilityState !== "visible") return;
    clearTimeout(timer);
    timer = undefined;
    schedule();
  });

  return {
    request() {
      isRequested = true;
      schedule();
    },
  };
};
