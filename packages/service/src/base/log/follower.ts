import { createWakeSignal, sleep } from "../concurrency/wake-signal.ts";
import { advanceHighWatermark, stillRunning, type HighWatermark } from "./high-watermark.ts";

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

/** The log as it is followed. */
interface FollowedLog<Row> {
  /** The visible rows after a position, in order. */
  readonly readAfter: (position: number, limit: number) => Promise<readonly Row[]>;
  readonly positionOf: (row: Row) => number;
  readonly runningWriters: () => Promise<readonly string[]>;
}

/** Events after the position `from`, up to and with `to`. All of them are final. */
export interface LogSpan {
  readonly from: number;
  readonly to: number;
}

/** Result of one read. */
interface FinalRows<Row> extends LogSpan {
  readonly rows: readonly Row[];
  /** Whether a whole batch was read: more may follow. */
  readonly isFull: boolean;
  readonly next: HighWatermark;
}

/** Shortest time between two checks of a gap; it doubles with each check. @units milliseconds */
const GAP_POLL_MS_MIN = 2;

/**
 * Follows the log for one consumer, which reads, passes what it has taken, and waits: `read`, `pass`, `wait`.
 *
 * States: stopped (no high-watermark) → following → at a gap that a running transaction may still fill → following; stopped by the consumer.
 * @shape gather: waits for the commits that follow the first commit
 */
export const createLogFollower = <Row>(
  { batch, gatherMs, pollMs, gapMs }: LogReadRules,
  signal: AbortSignal,
  gather: (ms: number) => Promise<void> = (ms) => sleep(ms, signal),
) => {
  const logGrown = createWakeSignal();
  let current: HighWatermark | undefined;
  let gapChecks = 0;

  const waitForGap = async (): Promise<void> => {
    await sleep(Math.min(GAP_POLL_MS_MIN * 2 ** gapChecks, gapMs), signal);
    gapChecks += 1;
  };
  /** Waits for a notification and the commits that follow it. */
  const idle = async (): Promise<void> => {
    await logGrown.wait(pollMs);
    if (!signal.aborted) await gather(gatherMs);
  };
  const start = (position: number): void => {
    current = { position };
  };

  return {
    /** Position up to which the log is final and passed; undefined while the follower is stopped. */
    highWatermark: () => current?.position,
    /** The log may have grown. */
    notify: () => logGrown.notify(),
    idle,
    start,
    /** Starts at the last position drawn so far, once it is final: when the transactions that write at this moment have ended. */
    async startAtEnd(log: Pick<FollowedLog<Row>, "runningWriters"> & { lastPosition(): Promise<number> }) {
      const position = await log.lastPosition();
      let writers = await log.runningWriters();
      gapChecks = 0;
      while (!signal.aborted && writers.length > 0) {
        await waitForGap();
        writers = await stillRunning(writers, log);
      }
      start(position);
      return position;
    },
    stop: () => void (current = undefined),
    /** Reads the rows after the high-watermark once; those that are final are returned. */
    async read({ readAfter, positionOf, runningWriters }: FollowedLog<Row>): Promise<FinalRows<Row>> {
      const from = current ?? { position: 0 };
      let rows: readonly Row[] = [];
      const positionsAfter = async (position: number) => {
        rows = await readAfter(position, batch);
        return rows.map(positionOf);
      };
      const { highWatermark: next, settled } = await advanceHighWatermark(from, { positionsAfter, runningWriters });
      const isFull = rows.length === batch;
      return { from: from.position, to: next.position, rows: rows.slice(0, settled), isFull, next };
    },
    /** Moves the high-watermark past the rows. */
    pass({ rows, next }: FinalRows<Row>): void {
      current = next;
      if (rows.length > 0 || !next.gap) gapChecks = 0;
    },
    /** Waits until the log must be read again: for a gap, or for new rows, or not at all after a whole batch. */
    async wait({ isFull, next }: FinalRows<Row>): Promise<void> {
      if (next.gap) return waitForGap();
      if (!isFull) await idle();
    },
  };
};
export type LogFollower<Row> = ReturnType<typeof createLogFollower<Row>>;
