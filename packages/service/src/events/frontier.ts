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
 * Every transaction that drew a position up to `seen` and had not ended when a row at `seen` was visible is, or was, among
 * `writers`: it held its lock on the log before it drew.
 */
export interface Doubt {
  readonly seen: number;
  /** Those of them that had not ended when last asked. */
  readonly writers: readonly string[];
}

/** The log, as its end is found. */
export interface Log {
  /** Positions beyond one, in order, as far as they are visible, without holes of the reader's own making. */
  readonly look: (after: number) => Promise<readonly number[]>;
  /** The transactions that may have drawn positions which are not visible. */
  readonly writers: () => Promise<readonly string[]>;
}

export interface Advance {
  readonly frontier: Frontier;
  /** How many of the positions can be told, from the first on. */
  readonly settled: number;
}

interface Judgement extends Advance {
  /** The highest position seen: a gap below it needs a `Doubt`. */
  readonly unexplained?: number | undefined;
}

const judge = ({ horizon, doubt }: Frontier, positions: readonly number[]): Judgement => {
  const isOver = doubt?.writers.length === 0;
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
  const open = isOver ? undefined : doubt;
  return {
    frontier: { horizon: reached, doubt: hasGap ? open : undefined },
    settled,
    unexplained: hasGap && !open ? positions.at(-1) : undefined,
  };
};

/** Those of some transactions that have not ended. */
export const stillOf = async (writers: readonly string[], { writers: now }: Pick<Log, "writers">) => {
  if (writers.length === 0) return writers;
  const running = new Set(await now());
  return writers.filter((each) => running.has(each));
};

/**
 * One look at the log beyond the horizon, and how much of it is final. Who has ended is asked before the look: what they wrote is
 * seen by it then.
 */
export const advance = async ({ horizon, doubt }: Frontier, log: Log): Promise<Advance> => {
  const narrowed = doubt && { ...doubt, writers: await stillOf(doubt.writers, log) };
  const { frontier, settled, unexplained } = judge({ horizon, doubt: narrowed }, await log.look(horizon));
  if (unexplained === undefined) return { frontier, settled };
  return { frontier: { ...frontier, doubt: { seen: unexplained, writers: await log.writers() } }, settled };
};
