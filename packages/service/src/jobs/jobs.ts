import type { Db } from "@parley/database";

/** One attempt to run a task. */
export interface TaskAttempt {
  /** Counted from 1. */
  readonly number: number;
  /** Whether no retry follows a failure. */
  readonly isLast: boolean;
  /** Aborted when the service stops. A long task then throws; it is returned to the queue and the attempt doesn't count as a failure. */
  readonly signal: AbortSignal;
}

/**
 * A kind of background task. It runs at least once for each request, so that it must be idempotent. After an error it is retried with
 * growing pauses; the error of the last attempt is logged.
 */
export type JobTask = (payload: unknown, attempt: TaskAttempt) => Promise<void>;

/** Tasks by name. Names are stored in the database: a name keeps its meaning across releases. */
export type JobTasks = Readonly<Record<string, JobTask>>;

/**
 * Background jobs. Due times are kept in the table `due_work` and compared with the service's clock. The queue gets only due jobs, so that
 * a clock under test controls all of them.
 */
export interface BackgroundJobs {
  /** Requests a job in the given transaction or on the pool. The request takes effect with its commit. */
  schedule(db: Db, work: { readonly task: string; readonly payload: unknown; readonly due: Date }): Promise<void>;
  /** Looks for due jobs now instead of at the next poll. */
  wake(): void;
  /** Accepts no more jobs. Resolves when the running jobs have ended or were returned to the queue. */
  close(): Promise<void>;
}
