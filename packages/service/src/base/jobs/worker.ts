import { failureText, type Log } from "@parley/telemetry";
import { createStopController, untilAborted } from "../concurrency/wake-signal.ts";
import { nextAttemptTime, isLastAttempt, type JobTasks } from "./jobs.ts";
import type { WorkStore } from "./store.ts";

/** Runs jobs by their ids. */
export interface JobWorker {
  run(id: string): Promise<void>;
  /** Returns and clears the jobs that this process may hold without running them: the outcome of a statement is unknown after an error. */
  takeLost(): readonly string[];
  /** Restores jobs that `takeLost` returned. */
  restoreLost(lostJobs: readonly string[]): void;
  /** Aborts the running jobs, and stops waiting for them after a timeout. */
  stop(): Promise<void>;
}

interface WorkerOptions {
  readonly tasks: JobTasks;
  readonly store: WorkStore;
  readonly now: () => Date;
  /** Number of this process; undefined while other processes would treat it as ended. */
  readonly holder: () => number | undefined;
  readonly log: Log;
}

/** How long running jobs may delay a stop. @units milliseconds */
const STOP_TIMEOUT_MS = 1_000;

export function createJobWorker({ tasks, store, now, holder, log }: WorkerOptions): JobWorker {
  const running = new Set<Promise<void>>();
  const unsettled = new Set<string>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const stopTimeout = createStopController();

  const attempt = async (id: string): Promise<void> => {
    const processNumber = holder();
    // The queue regards the job as done. Its due_work row has no holder and is queued again.
    if (signal.aborted || processNumber === undefined) return;
    const claimed = await store.claim(id, processNumber);
    if (!claimed) return;
    const task = tasks[claimed.task];
    const taskAttempt = { number: claimed.tries, isLast: isLastAttempt(claimed.tries), signal };
    try {
      if (!task) throw new Error("this release has no such task");
      const ended = await untilAborted(task(JSON.parse(claimed.payload), taskAttempt), stopTimeout.signal);
      if (ended === "aborted") await store.giveBack(id, processNumber);
      else await store.done(id, processNumber);
    } catch (error) {
      if (signal.aborted) return void (await store.giveBack(id, processNumber));
      const due = nextAttemptTime(claimed.tries, now());
      if (due) return void (await store.reschedule(id, processNumber, due));
      log(`${claimed.task} failed after ${claimed.tries} attempts and is not retried: ${failureText(error)}`, {
        level: "error",
        part: "jobs",
      });
      await store.done(id, processNumber);
    }
  };

  return {
    async run(id) {
      const work = attempt(id);
      running.add(work);
      try {
        await work;
      } catch (error) {
        unsettled.add(id);
        throw error;
      } finally {
        running.delete(work);
      }
    },
    takeLost() {
      const lostJobs = [...unsettled];
      unsettled.clear();
      return lostJobs;
    },
    restoreLost(lostJobs) {
      for (const id of lostJobs) unsettled.add(id);
    },
    async stop() {
      stopping.abort();
      const timer = setTimeout(() => stopTimeout.abort(), STOP_TIMEOUT_MS);
      await Promise.allSettled(running);
      clearTimeout(timer);
    },
  };
}
