const MINUTE = 60_000;

/** Counts requests in windows of a minute. @units `now` in milliseconds */
export const allowance = (perMinute: number, now: () => number) => {
  let begun = -Infinity;
  let used = 0;
  /** -> whether one more is allowed; it then counts. */
  return (): boolean => {
    if (now() - begun >= MINUTE) [begun, used] = [now(), 0];
    used += 1;
    return used <= perMinute;
  };
};
