import { EventEmitter } from "node:events";
import type { WorkerEvents } from "graphile-worker";
import { hasSqlState, SQLSTATE, type Database } from "@parley/database";
import type { Log } from "@parley/telemetry";
import { sleep, createStopController } from "../concurrency/wake-signal.ts";
import { PREPARATION, QUEUE_SCHEMA, QUEUE_TASK } from "./store.ts";

/** The queue of the library graphile-worker, which distributes jobs among the processes. */
export interface JobQueue {
  /** Resolves when the queue has stopped for any reason, or has not stopped in time. */
  readonly ended: Promise<void>;
  /** Accepts no more jobs; resolves when the running jobs have ended. */
  stop(): Promise<void>;
}

/** Concurrent jobs in one process. */
const CONCURRENCY = 2;
/** Polling interval of the library, in addition to its notifications. @units milliseconds */
const POLL_INTERVAL_MS = 2_000;
/**
 * How long the library may take to stop. Without a bound it may never stop: if the database is unreachable, or if two statements that
 * record the end of a job fail at the same time.
 * @units milliseconds
 */
const STOP_TIMEOUT_MS = 2_000;

/** A role without the right to create schemas can use a schema that was created for it. */
const failMissingRight = (error: unknown): never => {
  if (!hasSqlState(error, SQLSTATE.INSUFFICIENT_PRIVILEGE)) throw error;
  throw new Error(
    `background jobs are paused: the database role may not create the schema ${QUEUE_SCHEMA}. ` +
      `As a role that may, run: CREATE SCHEMA ${QUEUE_SCHEMA} AUTHORIZATION <role>`,
  );
};

/** Creates or migrates the library's tables and starts to run jobs. @errors database errors, such as a missing right */
export async function openJobQueue({
  database,
  run,
  log,
}: {
  readonly database: Database;
  readonly run: (id: string) => Promise<void>;
  readonly log: Log;
}): Promise<JobQueue> {
  // Imported on first use: the service starts without the library.
  const { Logger, makeWorkerUtils, run: start } = await import("graphile-worker");
  const pool = await database
    .driverPool(QUEUE_SCHEMA, { max: CONCURRENCY + 2, applicationName: "parley jobs" })
    .catch(failMissingRight);
  const logger = new Logger(() => (level, message) => {
    if (String(level) === "error") log(message.split("\n", 1)[0] ?? "", { level: "error", part: "jobs" });
  });
  const events: WorkerEvents = new EventEmitter();
  const shared = { pgPool: pool, schema: QUEUE_SCHEMA, logger };
  const ending = createStopController();
  const stopOverdue = new Promise<void>((resolve) => {
    events.once("pool:gracefulShutdown", () => void sleep(STOP_TIMEOUT_MS, ending.signal).then(resolve));
  });
  try {
    await pool.query(PREPARATION);
    const runner = await start({
      ...shared,
      events,
      concurrency: CONCURRENCY,
      pollInterval: POLL_INTERVAL_MS,
      noHandleSignals: true,
      parsedCronItems: [],
      // Without these settings the library doesn't await its own update of a finished job, and a failing update would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      taskList: { [QUEUE_TASK]: (payload) => run((payload as { id: string }).id) },
    });
    const utils = await makeWorkerUtils(shared);
    // Removes jobs that a killed process had locked. The rows in due_work request them again.
    await utils.cleanup({ tasks: ["DELETE_PERMAFAILED_JOBS"] });
    await utils.release();
    const ended = Promise.allSettled([Promise.race([runner.promise, stopOverdue])]).then(async () => {
      ending.abort();
      await pool.end();
    });
    return {
      ended,
      async stop() {
        // It rejects if the runner has already ended, and may never resolve.
        runner.stop().catch(() => undefined);
        await ended;
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}
