import type { Connection, Database } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import { ensureJob, registerProcess, requestJob, workStore } from "./store.ts";
import { SERVICE_SCHEMA } from "../db/migrations.ts";
import { createWakeSignal, sleep, createStopController } from "../concurrency/wake-signal.ts";
import type { Ports } from "../environment/ports.ts";
import type { BackgroundJobs, JobTasks } from "./jobs.ts";
import { openJobQueue, type JobQueue } from "./queue.ts";
import { createJobWorker, type JobWorker } from "./worker.ts";

/** The number of this process. Other processes treat it as alive as long as its connection exists. */
interface ProcessRegistration {
  /** undefined without a connection. */
  number(): number | undefined;
  /** Takes a number unless the process has a number. After a lost connection it takes a new number, since jobs of the old number were released. */
  ensure(): Promise<void>;
  close(): Promise<void>;
}

const createProcessRegistration = (connect: () => Promise<Connection>): ProcessRegistration => {
  let connection: Connection | undefined;
  let number: number | undefined;
  return {
    number: () => number,
    async ensure() {
      if (number !== undefined) return;
      await connection?.close();
      const opened = await connect();
      connection = opened;
      number = await registerProcess(opened);
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
  readonly log: Log;
}

/** Jobs that can be requested before their tasks are known. */
export interface StartableJobs extends BackgroundJobs {
  /** Starts once to poll for due jobs in the background. The queue's tables are created when the first job is due. */
  begin(tasks: JobTasks): void;
}

/** Polling interval for due jobs. @units milliseconds */
const POLL_INTERVAL_MS = 500;
/** Polling interval for jobs of ended processes. @units milliseconds */
const RECOVERY_INTERVAL_MS = 3_000;

export function createJobs({ database, ports, log }: JobsOptions): StartableJobs {
  const { now, newId } = ports;
  const pool = database.pool(SERVICE_SCHEMA, { max: 3, applicationName: "parley jobs" });
  const store = workStore(pool);
  const registration = createProcessRegistration(() => database.connect(SERVICE_SCHEMA));
  const stop = createStopController();
  const { signal } = stop;
  const wakeSignal = createWakeSignal();
  const unsubscribe = ports.onJump?.(() => wakeSignal.notify());
  let queue: JobQueue | undefined;
  let lastRecovery = -Infinity;

  const open = async (worker: JobWorker): Promise<void> => {
    const opened = await openJobQueue({ database, run: (id) => worker.run(id), log });
    queue = opened;
    lastRecovery = -Infinity;
    void opened.ended.finally(() => {
      if (queue === opened) queue = undefined;
    });
  };

  const recover = async (worker: JobWorker): Promise<void> => {
    const lostJobs = worker.takeLost();
    try {
      await store.recover(registration.number() ?? 0, lostJobs);
    } catch (error) {
      worker.restoreLost(lostJobs);
      throw error;
    }
  };

  const poll = async (worker: JobWorker): Promise<void> => {
    if (!queue && !(await store.hasWork(now()))) return;
    await registration.ensure();
    if (!queue) await open(worker);
    if (performance.now() - lastRecovery > RECOVERY_INTERVAL_MS) {
      await recover(worker);
      lastRecovery = performance.now();
    }
    await store.enqueueDue(now());
  };

  const runLoop = async (tasks: JobTasks): Promise<void> => {
    const worker = createJobWorker({ tasks, store, now, holder: () => registration.number(), log });
    let lastError: string | undefined;
    while (!signal.aborted) {
      try {
        await poll(worker);
        lastError = undefined;
      } catch (error) {
        const line = failureText(error);
        if (line !== lastError) log(line, { level: "error", part: "jobs" });
        lastError = line;
        await sleep(POLL_INTERVAL_MS, signal);
      }
      if (!signal.aborted) await wakeSignal.wait(POLL_INTERVAL_MS);
    }
    await Promise.all([worker.stop(), queue?.stop()]);
    await registration.close();
  };

  let working: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  return {
    begin: (tasks) => {
      working ??= runLoop(tasks);
    },
    schedule: async (db, { task, payload, due }) => {
      await requestJob(db, newId(), task, payload, due);
    },
    ensure: async (db, { isNext, ...work }) => {
      await ensureJob(db, { ...work, id: newId(), after: isNext ? now() : undefined });
    },
    wake: () => wakeSignal.notify(),
    close: () =>
      (closed ??= (async () => {
        unsubscribe?.();
        stop.abort();
        wakeSignal.notify();
        await working;
        await pool.end();
      })()),
  };
}
