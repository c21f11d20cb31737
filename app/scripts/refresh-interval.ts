/** Data from the host costs the account no calls, so it is polled often. @units milliseconds */
const PAUSE = 5_000;
/** Delay until an action of the agent is visible in the host's data. @units milliseconds */
const ACTION_DELAY_MS = 1_000;

/** Polls while the page is visible, one request at a time. */
export const createRefreshInterval = (look: () => Promise<void>) => {
  let timer: number | undefined;
  let looking: Promise<void> | undefined;

  const plan = (pause: number) => {
    window.clearTimeout(timer);
    if (!document.hidden) timer = window.setTimeout(() => void now(), pause);
  };
  const now = (): Promise<void> => {
    looking ??= look().finally(() => {
      looking = undefined;
      plan(PAUSE);
    });
    return looking;
  };
  document.addEventListener("visibilitychange", () => void (document.hidden ? window.clearTimeout(timer) : now()));
  window.addEventListener("online", () => void now());
  return {
    now,
    /** Polls again after a poll that is in progress. */
    async again(): Promise<void> {
      await looking;
      await now();
    },
    soon: () => plan(ACTION_DELAY_MS),
  };
};

/** A call during a running one joins it. */
export const runOneAtATime = <Args extends readonly unknown[]>(act: (...args: Args) => Promise<void>) => {
  let underWay: Promise<void> | undefined;
  return (...args: Args): Promise<void> => (underWay ??= act(...args).finally(() => (underWay = undefined)));
};
