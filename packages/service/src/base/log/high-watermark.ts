/**
 * Position up to which the log is final. Positions are drawn from a sequence and committed out of order, so a reader sees gaps: a
 * running transaction may still fill a gap, a transaction that was rolled back never will.
 */
export interface HighWatermark {
  /** Each position up to this one has been read, or will never be filled. */
  readonly position: number;
  /** Present while there is a gap behind the position. */
  readonly gap?: LogGap | undefined;
}

/**
 * Each transaction that drew a position up to `seenUpTo` and had not ended when the row at `seenUpTo` was visible is, or was, among
 * `writers`: it locks the log before it draws a position.
 */
interface LogGap {
  readonly seenUpTo: number;
  /** The writers that had not ended at the last check. */
  readonly writers: readonly string[];
}

/** Reads of the log's end. */
interface LogEnd {
  /** Visible positions after a position, in order, complete up to the last returned position. */
  readonly positionsAfter: (position: number) => Promise<readonly number[]>;
  /** Transactions that may have drawn positions which are not visible yet. */
  readonly runningWriters: () => Promise<readonly string[]>;
}

interface HighWatermarkAdvance {
  readonly highWatermark: HighWatermark;
  /** How many of the positions that were read are final, counted from the first. */
  readonly settled: number;
}

interface Evaluation extends HighWatermarkAdvance {
  /** The highest visible position, when there is a gap below it whose possible writers are not known. */
  readonly unexplained?: number | undefined;
}

const evaluate = ({ position: from, gap }: HighWatermark, positions: readonly number[]): Evaluation => {
  const isGapResolved = gap?.writers.length === 0;
  // All transactions that could have filled a missing position up to here have ended: it stays missing.
  const missingForever = isGapResolved ? gap.seenUpTo : 0;
  let reached = from;
  let settled = 0;
  for (const position of positions) {
    if (position !== reached + 1 && position - 1 > missingForever) break;
    reached = position;
    settled += 1;
  }
  const hasGap = settled < positions.length;
  const openGap = isGapResolved ? undefined : gap;
  return {
    highWatermark: { position: reached, gap: hasGap ? openGap : undefined },
    settled,
    unexplained: hasGap && !openGap ? positions.at(-1) : undefined,
  };
};

/** Those of the transactions that have not ended. */
export const stillRunning = async (
  writers: readonly string[],
  { runningWriters }: Pick<LogEnd, "runningWriters">,
): Promise<readonly string[]> => {
  if (writers.length === 0) return writers;
  const running = new Set(await runningWriters());
  return writers.filter((each) => running.has(each));
};

/**
 * Reads the log after the high-watermark once and decides how much of it is final. The writers are checked before the read: commits of a writer that
 * has ended are visible to the read.
 */
export const advanceHighWatermark = async (
  { position, gap }: HighWatermark,
  log: LogEnd,
): Promise<HighWatermarkAdvance> => {
  const checkedGap = gap && { ...gap, writers: await stillRunning(gap.writers, log) };
  const { highWatermark, settled, unexplained } = evaluate(
    { position, gap: checkedGap },
    await log.positionsAfter(position),
  );
  if (unexplained === undefined) return { highWatermark, settled };
  const newGap = { seenUpTo: unexplained, writers: await log.runningWriters() };
  return { highWatermark: { ...highWatermark, gap: newGap }, settled };
};
