/** @units milliseconds */
const TICK_MS = 10_000;
/** A tick that is this late shows that the device slept. @units milliseconds */
const LATE_MS = 20_000;

/** Calls the listener when the device has slept or is online again. -> stops */
export const watchWakeUps = (listener: () => void): (() => void) => {
  let lastTick = Date.now();
  const tick = (): void => {
    const now = Date.now();
    if (now - lastTick > TICK_MS + LATE_MS) listener();
    lastTick = now;
  };
  const timer = setInterval(tick, TICK_MS);
  addEventListener("online", listener);
  document.addEventListener("visibilitychange", tick);
  return () => {
    clearInterval(timer);
    removeEventListener("online", listener);
    document.removeEventListener("visibilitychange", tick);
  };
};
