import type { Db, Pool } from "@parley/database";

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
  /**
   * Requests a job unless one of the task is requested already.
   * @shape isNext: the call is made by the task itself, whose own row does not count
   */
  ensure(
    pool: Pool,
    work: { readonly task: string; readonly payload: unknown; readonly due: Date; readonly isNext: boolean },
  ): Promise<void>;
  /** Looks for due jobs now instead of at the next poll. */
  wake(): void;
  /** Accepts no more jobs. Resolves when the running jobs have ended or were returned to the queue. */
  close(): Promise<void>;
}

const SECOND_MS = 1_000;

/**
 * Pauses between the attempts of a failing job. The last attempt follows the last pause.
 * @units milliseconds
 * @assumed Nine attempts over about eight hours.
 */
const RETRY_PAUSES_MS = [1, 10, 60, 300, 900, 3_600, 7_200, 14_400].map((seconds) => seconds * SECOND_MS);

/** Attempts that a stop of the service interrupted are not counted. */
export const isLastAttempt = (number: number): boolean => number > RETRY_PAUSES_MS.length;

/** The time of the next attempt after this many attempts. -> undefined: no more attempts */
export const nextAttemptTime = (attempts: number, now: Date): Date | undefined => {
  const pause = RETRY_PAUSES_MS[attempts - 1];
  return pause === undefined ? undefined : new Date(now.getTime() + pause);
};

/**
 * Time for a process to claim a job that it has locked in the queue. A short time is safe: if two processes get the same job, one
 * of them claims it.
 * @units milliseconds
 */
export const CLAIM_TIMEOUT_MS = 3 * SECOND_MS;
