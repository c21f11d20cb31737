import { firstLineOf } from "../concurrency/run-loop.ts";
import { nextAttemptTime, isLastAttempt } from "./retry.ts";
import type { JobTasks } from "./jobs.ts";
import type { WorkStore } from "./store.ts";

/** Runs jobs by their ids. */
export interface JobWorker {
  run(id: string): Promise<void>;
  /** Returns and clears the jobs that this process may hold without running them: the outcome of a statement is unknown after an error. */
  lost(): readonly string[];
  /** Restores jobs that `lost` returned. */
  keep(lost: readonly string[]): void;
  /** Aborts the running jobs, and stops waiting for them after a timeout. */
  stop(): Promise<void>;
}

interface WorkerOptions {
  readonly tasks: JobTasks;
  readonly store: WorkStore;
  readonly now: () => Date;
  /** Number of this process; undefined while other processes would treat it as ended. */
  readonly holder: () => number | undefined;
  readonly log: (line: string) => void;
}

/** How long running jobs may delay a stop. @units milliseconds */
const MOMENT = 1_000;

export function createJobWorker({ tasks, store, now, holder, log }: WorkerOptions): JobWorker {
  const running = new Set<Promise<void>>();
  const unsettled = new Set<string>();
  const stopping = new AbortController();
  const { signal } = stopping;
  let leave: () => void = () => undefined;
  const left = new Promise<"left">((resolve) => (leave = () => resolve("left")));

  const attempt = async (id: string): Promise<void> => {
    const by = holder();
    // The queue regards the job as done. Its due_work row has no holder and is queued again.
    if (signal.aborted || by === undefined) return;
    const taken = await store.claim(id, by);
    if (!taken) return;
    const task = tasks[taken.task];
    const tried = { number: taken.tries, isLast: isLastAttempt(taken.tries), signal };
    try {
      if (!task) throw new Error("this release does not know the task");
      const ended = await Promise.race([task(JSON.parse(taken.payload), tried), left]);
      if (ended === "left") await store.giveBack(id, by);
      else await store.done(id, by);
    } catch (error) {
      if (signal.aborted) return void (await store.giveBack(id, by));
      const due = nextAttemptTime(taken.tries, now());
      if (due) return void (await store.again(id, by, due));
      log(`jobs: ${taken.task} failed for good after ${taken.tries} tries: ${firstLineOf(error)}`);
      await store.done(id, by);
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
    lost() {
      const lost = [...unsettled];
      unsettled.clear();
      return lost;
    },
    keep(lost) {
      for (const id of lost) unsettled.add(id);
    },
    async stop() {
      stopping.abort();
      const timer = setTimeout(leave, MOMENT);
      await Promise.allSettled(running);
      clearTimeout(timer);
    },
  };
}
