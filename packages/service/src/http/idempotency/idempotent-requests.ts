import type { User } from "@parley/contract";
import type { BackgroundJobs, JobTasks } from "../../base/jobs/index.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import { RECORD_LIFETIME_MS, createRunIdempotently, type RunIdempotently } from "./idempotency.ts";
import { blankRecordedReplies, idempotencyStore, type IdempotencyPools } from "./store.ts";

interface IdempotencyDeps extends IdempotencyPools {
  readonly jobs: Pick<BackgroundJobs, "schedule">;
  readonly now: Ports["now"];
  /** @units milliseconds */
  readonly waitMs?: number | undefined;
}

interface IdempotentRequests {
  readonly runIdempotently: RunIdempotently;
  readonly tasks: JobTasks;
  /** Erases the recorded replies about a deleted user. */
  readonly eraser: PersonalDataEraser;
}

/** Task name stored in the database; must not change. */
const TASK = "forget-kept-answers";
/** Records deleted per statement. */
const SWEEP_BATCH = 1_000;
/** A process schedules at most one removal per interval. @units milliseconds */
const SCHEDULE_INTERVAL_MS = 3_600_000;

/** Wires idempotency keys: execution, removal of expired records, erasure of personal data. */
export const createIdempotentRequests = ({
  reads,
  writes,
  pool,
  jobs,
  now,
  waitMs,
}: IdempotencyDeps): IdempotentRequests => {
  const store = idempotencyStore({ reads, writes, pool });
  let lastScheduledMs = -Infinity;

  /**
   * Runs before a record is written, so that no record is left without a scheduled removal. A clock that was set back
   * starts a new interval.
   */
  const expire = (): Promise<void> | undefined => {
    const time = now().getTime();
    return time >= lastScheduledMs && time < lastScheduledMs + SCHEDULE_INTERVAL_MS ? undefined : scheduleSweep(time);
  };
  const scheduleSweep = async (time: number): Promise<void> => {
    const before = lastScheduledMs;
    lastScheduledMs = time;
    try {
      await jobs.schedule(pool, {
        task: TASK,
        payload: null,
        due: new Date(time + SCHEDULE_INTERVAL_MS + RECORD_LIFETIME_MS),
      });
    } catch (error) {
      lastScheduledMs = before;
      throw error;
    }
  };

  return {
    runIdempotently: createRunIdempotently({ store, now, expire, waitMs }),
    tasks: {
      [TASK]: async (_, { signal }) => {
        const until = new Date(now().getTime() - RECORD_LIFETIME_MS);
        while ((await store.sweep(until, SWEEP_BATCH)) === SWEEP_BATCH) signal.throwIfAborted();
      },
    },
    eraser: {
      user: async (tx, _, bodies) => {
        await blankRecordedReplies(
          tx,
          bodies.slice(0, 1).map((body) => (JSON.parse(body) as User).id),
        );
      },
    },
  };
};
