/**
 * Up to where the log is final. Positions are drawn from a sequence and committed out of order, so that a reader sees gaps: some
 * will be filled by transactions that still run, some never, since their transaction was rolled back.
 */
export interface Frontier {
  /** Every position up to it has been told, or will never be filled. */
  readonly horizon: number;
  /** Set while there is a gap. */
  readonly doubt?: Doubt | undefined;
}

/**
 * Every transaction that drew a position up to `seen` has an id below `bound`: it got its id before it drew, and `bound` was
 * drawn from the same counter after a row at `seen` was visible.
 */
export interface Doubt {
  readonly seen: number;
  readonly bound: bigint;
}

/** One look at the log beyond the horizon. */
export interface Look {
  /** In order, without holes of the reader's own making. */
  readonly positions: readonly number[];
  /** Every transaction below it had ended when the look was taken. Absent when there is nothing beyond the horizon. */
  readonly oldest?: bigint | undefined;
}

export interface Advance {
  readonly frontier: Frontier;
  /** How many of the positions can be told, from the first on. */
  readonly settled: number;
  /** The highest position seen: a gap below it needs a `Doubt`. */
  readonly unexplained?: number | undefined;
}

/** Tells how much of a look is final. */
export const advance = ({ horizon, doubt }: Frontier, { positions, oldest }: Look): Advance => {
  const isOver = doubt !== undefined && oldest !== undefined && oldest >= doubt.bound;
  // What is absent although all who could have filled it have ended is absent for ever.
  const dead = isOver ? doubt.seen : 0;
  let reached = horizon;
  let settled = 0;
  for (const position of positions) {
    if (position !== reached + 1 && position - 1 > dead) break;
    reached = position;
    settled += 1;
  }
  const hasGap = settled < positions.length;
  const open = doubt !== undefined && !isOver ? doubt : undefined;
  return {
    frontier: { horizon: reached, doubt: hasGap ? open : undefined },
    settled,
    unexplained: hasGap && !open ? positions.at(-1) : undefined,
  };
};
