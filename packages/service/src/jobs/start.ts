import type { Connection, Database } from "@parley/database";
import { nameProcess, requestJobs, workStore } from "./store.ts";
import { SERVICE_SCHEMA } from "../db/migrations.ts";
import { createWakeSignal, sleep, createStopController } from "../concurrency/wake-signal.ts";
import { firstLineOf } from "../concurrency/run-loop.ts";
import type { Ports } from "../environment/ports.ts";
import type { BackgroundJobs, JobTasks } from "./jobs.ts";
import { openJobQueue, type JobQueue } from "./queue.ts";
import { createJobWorker, type JobWorker } from "./worker.ts";

/** The number of this process. Other processes treat it as alive as long as its connection exists. */
interface Living {
  /** undefined without a connection. */
  number(): number | undefined;
  /** Takes a number if there is none. After a lost connection it takes a new one, since jobs of the old number were released. */
  step(): Promise<void>;
  close(): Promise<void>;
}

const living = (connect: () => Promise<Connection>): Living => {
  let connection: Connection | undefined;
  let number: number | undefined;
  return {
    number: () => number,
    async step() {
      if (number !== undefined) return;
      await connection?.close();
      const opened = await connect();
      connection = opened;
      number = await nameProcess(opened);
      opened.onLost(() => {
        number = undefined;
      });
    },
    close: async () => connection?.close(),
  };
};

interface JobsOptions {
  readonly database: Database;
  readonly ports: Ports;
  readonly log: (line: string) => void;
}

/** Jobs that can be requested before their tasks are known. */
export interface StartableJobs extends BackgroundJobs {
  /** Starts once to poll for due jobs in the background. The queue's tables are created when the first job is due. */
  begin(tasks: JobTasks): void;
}

/** Polling interval for due jobs. @units milliseconds */
const ROUND = 500;
/** Polling interval for jobs of ended processes. @units milliseconds */
const RECOVERY = 3_000;

export function createJobs({ database, ports, log }: JobsOptions): StartableJobs {
  const { now, newId } = ports;
  const pool = database.pool(SERVICE_SCHEMA, { max: 3, applicationName: "parley jobs" });
  const store = workStore(pool);
  const self = living(() => database.connect(SERVICE_SCHEMA));
  const stop = createStopController();
  const { signal } = stop;
  const ring = createWakeSignal();
  const forget = ports.onJump?.(() => ring.notify());
  let queue: JobQueue | undefined;
  let recovered = -Infinity;

  const open = async (worker: JobWorker): Promise<void> => {
    const opened = await openJobQueue({ database, run: (id) => worker.run(id), log });
    queue = opened;
    recovered = -Infinity;
    void opened.ended.finally(() => {
      if (queue === opened) queue = undefined;
    });
  };

  const recover = async (worker: JobWorker): Promise<void> => {
    const lost = worker.lost();
    try {
      await store.recover(self.number() ?? 0, lost);
    } catch (error) {
      worker.keep(lost);
      throw error;
    }
  };

  const look = async (worker: JobWorker): Promise<void> => {
    if (!queue && !(await store.isAny(now()))) return;
    await self.step();
    if (!queue) await open(worker);
    if (performance.now() - recovered > RECOVERY) {
      await recover(worker);
      recovered = performance.now();
    }
    await store.move(now());
  };

  const rounds = async (tasks: JobTasks): Promise<void> => {
    const worker = createJobWorker({ tasks, store, now, holder: () => self.number(), log });
    let said: string | undefined;
    while (!signal.aborted) {
      try {
        await look(worker);
        said = undefined;
      } catch (error) {
        const line = firstLineOf(error);
        if (line !== said) log(`jobs: ${line}`);
        said = line;
        await sleep(ROUND, signal);
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
      await requestJobs(db, newId(), task, payload, due);
    },
    wake: () => ring.notify(),
    close: () =>
      (closed ??= (async () => {
        forget?.();
        stop.abort();
        ring.notify();
        await working;
        await pool.end();
      })()),
  };
}
