/** @units milliseconds */
const QUICK = 1_000;
const SLOWEST = 10_000;
/** How long after the last news or deed the page looks quickly. @units milliseconds */
const LIVELY = 60_000;

/** Looks again and again while the page is seen: quickly after news, slower when nothing happens, never while it is hidden. */
export const pace = (look: () => Promise<boolean>) => {
  let timer: number | undefined;
  let pause = QUICK;
  let lively = performance.now();
  let looking: Promise<void> | undefined;

  const once = async () => {
    const news = await look();
    if (news) lively = performance.now();
    pause = performance.now() - lively < LIVELY ? QUICK : Math.min(pause * 1.5, SLOWEST);
  };
  const plan = () => {
    window.clearTimeout(timer);
    if (!document.hidden) timer = window.setTimeout(() => void now(), pause);
  };
  const now = (): Promise<void> => {
    looking ??= once().finally(() => {
      looking = undefined;
      plan();
    });
    return looking;
  };
  const stir = () => {
    lively = performance.now();
    if (pause === QUICK) return;
    pause = QUICK;
    void now();
  };
  for (const sign of ["pointerdown", "keydown"]) document.addEventListener(sign, stir);
  document.addEventListener("visibilitychange", () => void (document.hidden ? window.clearTimeout(timer) : now()));
  return {
    /** Looks afresh, after a look that is under way. */
    async again() {
      lively = performance.now();
      await looking;
      await now();
    },
  };
};
