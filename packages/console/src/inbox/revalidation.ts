/** Pause before the first reading: events that follow each other closely share it. @units milliseconds */
const FIRST_DELAY_MS = 250;
/** Least time between readings while events arrive. @units milliseconds */
const SHOWN_INTERVAL_MS = 3_000;
/** The same while the page is hidden. @units milliseconds */
const HIDDEN_INTERVAL_MS = 15_000;

export interface Revalidation {
  /** Something must be read anew. */
  request(): void;
}

/** Reads again what events do not say, soon after a request and seldom while requests arrive. @shape read: must not throw */
export const createRevalidation = (read: () => Promise<void>): Revalidation => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isRequested = false;
  let lastTime = Number.NEGATIVE_INFINITY;

  const run = async (): Promise<void> => {
    timer = undefined;
    isRequested = false;
    isRunning = true;
    await read();
    lastTime = performance.now();
    isRunning = false;
    if (isRequested) schedule();
  };
  const schedule = (): void => {
    if (timer !== undefined || isRunning) return;
    const interval = document.visibilityState === "visible" ? SHOWN_INTERVAL_MS : HIDDEN_INTERVAL_MS;
    timer = setTimeout(() => void run(), Math.max(FIRST_DELAY_MS, lastTime + interval - performance.now()));
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
