import type { Database } from "@parley/database";
import { SCHEMA } from "../db/migrations.ts";
import { bell, pause, stopper } from "../events/bell.ts";
import { lineOf } from "../events/loop.ts";
import type { Ports } from "../ports.ts";
import type { Jobs, Tasks } from "./jobs.ts";
import { living } from "./living.ts";
import { openQueue, type Queue } from "./queue.ts";
import { askFor, workStore } from "./store.ts";
import { worker as openWorker, type Worker } from "./worker.ts";

export interface JobsOptions {
  readonly database: Database;
  readonly ports: Ports;
  readonly log: (line: string) => void;
}

/** Jobs that can be asked for before it is known who does them. */
export interface StartableJobs extends Jobs {
  /** Begins to work, once: looks for work in the background, and makes the queue's tables when there is some. */
  begin(tasks: Tasks): void;
}

/** Between two looks for what became due. @units milliseconds */
const ROUND = 500;
/** Between two looks for work whose process is gone. @units milliseconds */
const RECOVERY = 3_000;

export function jobs({ database, ports, log }: JobsOptions): StartableJobs {
  const { now, newId } = ports;
  const pool = database.pool(SCHEMA, { max: 3, applicationName: "parley jobs" });
  const store = workStore(pool);
  const self = living(() => database.connect(SCHEMA));
  const stop = stopper();
  const { signal } = stop;
  const ring = bell();
  const forget = ports.onJump?.(() => ring.ring());
  let queue: Queue | undefined;
  let recovered = -Infinity;

  const open = async (worker: Worker): Promise<void> => {
    const opened = await openQueue({ database, run: (id) => worker.run(id), log });
    queue = opened;
    recovered = -Infinity;
    void opened.ended.finally(() => {
      if (queue === opened) queue = undefined;
    });
  };

  const recover = async (worker: Worker): Promise<void> => {
    const lost = worker.lost();
    try {
      await store.recover(self.number() ?? 0, lost);
    } catch (error) {
      worker.keep(lost);
      throw error;
    }
  };

  const look = async (worker: Worker): Promise<void> => {
    if (!queue && !(await store.isAny(now()))) return;
    await self.step();
    if (!queue) await open(worker);
    if (performance.now() - recovered > RECOVERY) {
      await recover(worker);
      recovered = performance.now();
    }
    await store.move(now());
  };

  const rounds = async (tasks: Tasks): Promise<void> => {
    const worker = openWorker({ tasks, store, now, holder: () => self.number(), log });
    let said: string | undefined;
    while (!signal.aborted) {
      try {
        await look(worker);
        said = undefined;
      } catch (error) {
        const line = lineOf(error);
        if (line !== said) log(`jobs: ${line}`);
        said = line;
        await pause(ROUND, signal);
      }
      if (!signal.aborted) await ring.wait(ROUND);
    }
    await Promise.all([worker.stop(), queue?.stop()]);
    await self.close();
  };

  let working: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  return {
    begin: (tasks) => {
      working ??= rounds(tasks);
    },
    later: async (db, { task, payload, due }) => {
      await askFor(db, newId(), task, payload, due);
    },
    wake: () => ring.ring(),
    close: () =>
      (closed ??= (async () => {
        forget?.();
        stop.abort();
        ring.ring();
        await working;
        await pool.end();
      })()),
  };
}
