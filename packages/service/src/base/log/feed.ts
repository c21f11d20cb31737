import { createLogFollower, type LogFollower, type LogReadRules } from "./follower.ts";
import type { LogRow, LogStore } from "./store.ts";

/**
 * Receives, in order, the rows that became final after the position `from`. The high-watermark is past them when it is called.
 * Called once without rows when the first high-watermark is known.
 */
type OnRows = (rows: readonly LogRow[], from: number) => void;

/** Follows the end of the log while there are readers. A process has one for its dispatcher and one for its streams. */
export interface LogFeed extends Pick<LogFollower<LogRow>, "highWatermark" | "notify"> {
  /** Reads the log once and waits for the next occasion. */
  step(onRows: OnRows): Promise<void>;
}

interface LogFeedDeps {
  readonly log: LogStore;
  readonly rules: LogReadRules;
  readonly signal: AbortSignal;
  /** Whether there are no readers: the log is not read then. */
  readonly isIdle: () => boolean;
}

export const createLogFeed = ({ log, rules, signal, isIdle }: LogFeedDeps): LogFeed => {
  const follower = createLogFollower<LogRow>(rules, signal);
  const followed = {
    readAfter: (position: number, limit: number) => log.readAfter(position, limit),
    positionOf: ({ seq }: LogRow) => seq,
    runningWriters: () => log.runningWriters(),
  };
  return {
    highWatermark: () => follower.highWatermark(),
    notify: () => follower.notify(),
    async step(onRows) {
      if (isIdle()) {
        follower.stop();
        return follower.idle();
      }
      if (follower.highWatermark() === undefined) return onRows([], await follower.startAtEnd(log));
      const found = await follower.read(followed);
      follower.pass(found);
      if (found.rows.length > 0) onRows(found.rows, found.from);
      await follower.wait(found);
    },
  };
};
