import type { Utilization } from "../../base/concurrency/loop-utilization.ts";

/** Limits of the pacing. */
export interface StreamPacingRules {
  /** Fraction of the time that streams may use at least. @units 0 to 1 */
  readonly minShare: number;
  /** Fraction of the time that streams may use when the event loop does nothing else. @units 0 to 1 */
  readonly maxShare: number;
  /** How many times the use of the event loop by everything else reduces the share of the streams. */
  readonly reduction: number;
  /** Longest time that streams keep the event loop busy without a break. @units milliseconds */
  readonly sliceMs: number;
}

/**
 * Divides the event loop between the streams and everything else: one event of an account can have thousands of readers, and customers and
 * agents wait for the replies to their requests. While requests keep the event loop busy, streams get the smallest share: events arrive later
 * then, several at a time.
 */
export interface StreamPacing {
  /** Resolves, in the order of the calls, when the caller may work on its stream. */
  turn(): Promise<void>;
  /** Counts other work that was done for the streams. @units milliseconds */
  charge(ms: number): void;
}

interface StreamPacingDeps {
  readonly rules: StreamPacingRules;
  readonly utilization: Utilization;
  /** Monotonic clock. @units milliseconds */
  readonly now: () => number;
  /** Calls the function once, after the time. @units milliseconds */
  readonly after: (ms: number, run: () => void) => void;
}

/** Time between two measurements of the event loop. @units milliseconds */
const MEASURE_MS = 100;
/** Unused time that streams may use later, so that an event to a few readers is not delayed; and the most that is owed. @units milliseconds */
const SAVED_MS_MAX = 25;
const OWED_MS_MAX = 25;
/** Pause when the streams have used their share. @units milliseconds */
const PAUSE_MS = 10;
/** Estimated time of a turn before the first one is measured. @units milliseconds */
const FIRST_TURN_MS = 0.05;
/** Weight of the latest slice in the average time of a turn. */
const LATEST_WEIGHT = 0.2;

export const createStreamPacing = ({ rules, utilization, now, after }: StreamPacingDeps): StreamPacing => {
  let waiting: (() => void)[] = [];
  let isScheduled = false;
  let share = rules.maxShare;
  let measuredAt = now();
  let usedSinceMeasured = 0;
  let countedAt = measuredAt;
  let savedMs = SAVED_MS_MAX;
  let turnMs = FIRST_TURN_MS;
  let endSlice: (() => void) | undefined;

  const charge = (ms: number): void => {
    savedMs = Math.max(-OWED_MS_MAX, savedMs - ms);
    usedSinceMeasured += ms;
  };

  const measure = (at: number): void => {
    const elapsed = at - measuredAt;
    if (elapsed < MEASURE_MS) return;
    const other = Math.max(0, utilization() - usedSinceMeasured / elapsed);
    share = Math.max(rules.minShare, rules.maxShare - rules.reduction * other);
    measuredAt = at;
    usedSinceMeasured = 0;
  };

  /** Starts as many turns as are expected to fit into one slice. */
  const startSlice = (): void => {
    const count = Math.max(1, Math.floor(rules.sliceMs / turnMs));
    const started = waiting.slice(0, count);
    waiting = waiting.slice(count);
    const begun = now();
    for (const start of started) start();
    // The turns run before the next callback of the same phase of the event loop, unless they wait for the database.
    endSlice = () => {
      const ms = now() - begun;
      charge(ms);
      turnMs += (ms / started.length - turnMs) * LATEST_WEIGHT;
    };
  };

  const run = (): void => {
    const at = now();
    measure(at);
    savedMs = Math.min(SAVED_MS_MAX, savedMs + share * (at - countedAt));
    countedAt = at;
    if (savedMs > 0) startSlice();
  };
  const finish = (): void => {
    endSlice?.();
    endSlice = undefined;
    isScheduled = false;
    if (waiting.length > 0) schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    const begin = () => {
      setImmediate(run);
      setImmediate(finish);
    };
    if (savedMs > 0) begin();
    else after(PAUSE_MS, begin);
  };

  return {
    charge,
    turn: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        schedule();
      }),
  };
};
