/**
 * The time over which the share is an average. With a share of a half, an endless loop runs at full speed for as long.
 * @assumed With ten seconds, the other installations on a machine of two cores noticed a loop: the p99 of their events rose by more than a quarter.
 * @units milliseconds
 */
export const SPAN_MS = 4_000;
/** The time within the share after which a slowed installation runs at full speed again. @units milliseconds */
const RESTORE_MS = 10_000;
/** Of its share, the part that a slowed installation may use: it also has to make up for what it has used too much. */
const SLOWED_PART = 0.5;
/** A slowed installation that uses less than this part of what it may use would be within its share without being slowed down. */
const SATISFIED_PART = 0.7;
/** Minimum time between two lines of the log about one installation. @units milliseconds */
const LOG_MS = 60_000;

/** An installation begins to be slowed down, or runs at full speed again. */
export type SpeedChange = "slowed" | "restored";

/** Processor time of one installation. */
export interface CpuShare {
  /**
   * Adds used processor time.
   * -> what to log when the installation begins or ends to be slowed down, at most once a minute
   * @units milliseconds
   */
  add(usedMs: number, now: number): SpeedChange | undefined;
  readonly isSlowed: () => boolean;
  /** -> whether it used more than its share since the last measurement, or is slowed down */
  readonly isOver: () => boolean;
  /** Part of the time for which a slowed process runs, 0 to 1. */
  readonly runningPart: number;
  /** -> whether it has used nothing that is still to be remembered */
  isFull(now: number): boolean;
}

/**
 * Token bucket of processor time: it holds the share of `SPAN_MS`. An empty bucket slows the installation down, until it has needed
 * less than it may use for `RESTORE_MS`.
 * @shape percent: of one processor core
 */
export const createCpuShare = (percent: number): CpuShare => {
  const rate = percent / 100;
  const capacity = rate * SPAN_MS;
  const runningPart = Math.min(1, rate * SLOWED_PART);
  let tokens = capacity;
  let addedAt: number | undefined;
  let slowedAt: number | undefined;
  /** Last time at which a slowed installation used what it may use. */
  let busyAt = 0;
  let isOver = false;
  let loggedAt = Number.NEGATIVE_INFINITY;
  let isLogged = false;

  const slowed = (): boolean => slowedAt !== undefined;
  const changeToLog = (now: number): SpeedChange | undefined => {
    if (slowed() === isLogged || now - loggedAt < LOG_MS) return undefined;
    [isLogged, loggedAt] = [slowed(), now];
    return isLogged ? "slowed" : "restored";
  };
  return {
    add(usedMs, now) {
      const elapsed = now - (addedAt ?? now);
      addedAt = now;
      isOver = elapsed > 0 && usedMs > elapsed * rate;
      tokens = Math.min(capacity, tokens + elapsed * rate) - usedMs;
      if (slowedAt === undefined) {
        if (tokens < 0) slowedAt = busyAt = now;
      } else {
        if (usedMs >= elapsed * runningPart * SATISFIED_PART) busyAt = now;
        if (now - busyAt >= RESTORE_MS) [slowedAt, tokens] = [undefined, capacity];
      }
      // Excess use is not carried over without limit.
      tokens = Math.max(tokens, -capacity);
      return changeToLog(now);
    },
    isSlowed: slowed,
    isOver: () => isOver || slowed(),
    runningPart,
    isFull: (now) => now - (addedAt ?? now) >= RESTORE_MS * 2,
  };
};
