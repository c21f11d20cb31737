import type { Db } from "@parley/database";

/** One try of a piece of work. */
export interface TaskAttempt {
  /** From 1. */
  readonly number: number;
  /** Should it fail, nobody tries again. */
  readonly isLast: boolean;
  /** The service ends: work that takes long stops here, by throwing, and is given back without counting as a failure. */
  readonly signal: AbortSignal;
}

/**
 * One kind of background work. It runs at least once for each time that it was asked for, so that doing it twice must be harmless.
 * A throw is tried again after a growing pause of our clock, and logged when it was the last.
 */
export type JobTask = (payload: unknown, attempt: TaskAttempt) => Promise<void>;

/** By their names, which stand in the database: a name keeps its meaning over releases. */
export type JobTasks = Readonly<Record<string, JobTask>>;

/**
 * Background work. Due times stand in our own table by our own clock; the queue gets only what is due, so that a clock under test
 * moves everything.
 */
export interface BackgroundJobs {
  /** Asks for work, in the transaction (or on the pool) given: it is asked for exactly when that commits. */
  later(db: Db, work: { readonly task: string; readonly payload: unknown; readonly due: Date }): Promise<void>;
  /** Something due may have been committed: looks now, and not only at the next round. */
  wake(): void;
  /** Takes no more; resolves when the work under way has ended or was given back. */
  close(): Promise<void>;
}
