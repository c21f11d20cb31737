/** @units milliseconds */
export const HOUR = 3_600_000;

/** The clock's hour that a moment lies in. @units epoch ms of its beginning */
export const windowOf = (now: Date): number => Math.floor(now.getTime() / HOUR) * HOUR;

/** Time until a window ends, at least one. @units seconds */
export const secondsLeft = (window: number, now: Date): number =>
  Math.max(1, Math.ceil((window + HOUR - now.getTime()) / 1000));
