/** What the host tells costs the account nothing: it is looked at often. @units milliseconds */
const PAUSE = 5_000;
/** How long a deed of the agent takes to be told. @units milliseconds */
const SOON = 1_000;

/** Looks again and again while the page is seen, one look at a time. */
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
    /** Looks afresh, after a look that is under way. */
    async again(): Promise<void> {
      await looking;
      await now();
    },
    soon: () => plan(SOON),
  };
};

/** A call that comes while one is under way is that one. */
export const runOneAtATime = <Args extends readonly unknown[]>(act: (...args: Args) => Promise<void>) => {
  let underWay: Promise<void> | undefined;
  return (...args: Args): Promise<void> => (underWay ??= act(...args).finally(() => (underWay = undefined)));
};
