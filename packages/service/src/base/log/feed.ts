import { createWakeSignal, sleep } from "../concurrency/wake-signal.ts";
import { advanceHighWatermark, stillRunning, type HighWatermark } from "./high-watermark.ts";
import type { LogRow, LogStore } from "./store.ts";

/** How often and how much of the log is read. */
export interface LogReadRules {
  /** Rows of the log that are read at a time. */
  readonly batch: number;
  /** How long commits gather before the log is read for them. @units milliseconds */
  readonly gatherMs: number;
  /** Longest time between two reads without a notification. @units milliseconds */
  readonly pollMs: number;
  /** Longest time between two checks of a gap that a running transaction may still fill. @units milliseconds */
  readonly gapMs: number;
}

/**
 * Receives, in order, the rows that became final after the position `from`. The high-watermark is past them when it is called.
 * Called once without rows when the first high-watermark is known.
 */
type OnRows = (rows: readonly LogRow[], from: number) => void;

/**
 * Follows the end of the log. A process has one for its dispatcher and one for its streams.
 *
 * States: idle (nobody follows; no high-watermark) → starting (waits for the transactions that were writing) → following
 * (high-watermark known, perhaps with a gap) → idle.
 */
export interface LogFeed {
  /** Position up to which the log is final; undefined unless the feed is following. */
  highWatermark(): number | undefined;
  /** The log may have grown. */
  notify(): void;
  /** Reads the log once and waits for the next occasion. */
  step(onRows: OnRows): Promise<void>;
}

interface LogFeedDeps {
  readonly log: LogStore;
  readonly rules: LogReadRules;
  readonly signal: AbortSignal;
  /** Whether nobody follows: the log is not read then. */
  readonly isIdle: () => boolean;
}

/** Shortest time between two checks of a gap; it doubles with each check. @units milliseconds */
const MIN_GAP_POLL_MS = 2;

export const createLogFeed = ({ log, rules, signal, isIdle }: LogFeedDeps): LogFeed => {
  const wakeSignal = createWakeSignal();
  let current: HighWatermark | undefined;
  let gapChecks = 0;

  const waitForGap = async (): Promise<void> => {
    await sleep(Math.min(MIN_GAP_POLL_MS * 2 ** gapChecks, rules.gapMs), signal);
    gapChecks += 1;
  };

  /** Positions drawn so far are final once the transactions that write to the log at this moment have ended. */
  const start = async (onRows: OnRows): Promise<void> => {
    const position = await log.lastPosition();
    let writers: readonly string[] = await log.runningWriters();
    gapChecks = 0;
    while (!signal.aborted && writers.length > 0) {
      await waitForGap();
      writers = await stillRunning(writers, log);
    }
    current = { position };
    onRows([], position);
  };

  const read = async (from: HighWatermark, onRows: OnRows): Promise<void> => {
    let rows: readonly LogRow[] = [];
    const { highWatermark, settled } = await advanceHighWatermark(from, {
      positionsAfter: async (position) => {
        rows = await log.readAfter(position, rules.batch);
        return rows.map(({ seq }) => seq);
      },
      runningWriters: () => log.runningWriters(),
    });
    current = highWatermark;
    if (settled > 0) onRows(rows.slice(0, settled), from.position);
    if (highWatermark.gap) {
      if (settled > 0) gapChecks = 0;
      return waitForGap();
    }
    gapChecks = 0;
    if (rows.length === rules.batch) return;
    await wakeSignal.wait(rules.pollMs);
    await sleep(rules.gatherMs, signal);
  };

  return {
    highWatermark: () => current?.position,
    notify: () => wakeSignal.notify(),
    async step(onRows) {
      if (isIdle()) {
        current = undefined;
        return wakeSignal.wait(rules.pollMs);
      }
      if (current) await read(current, onRows);
      else await start(onRows);
    },
  };
};
