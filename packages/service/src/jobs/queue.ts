import { hasSqlState, SQLSTATE, type Database } from "@parley/database";
import { sleep, createStopController } from "../concurrency/wake-signal.ts";
import { PREPARATION, QUEUE_SCHEMA, QUEUE_TASK } from "./store.ts";

/** The library that hands work to this process and to others. */
export interface JobQueue {
  /** Resolves when it works no more, whoever ended it. */
  readonly ended: Promise<void>;
  /** Takes no more work; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** Pieces of work at a time in one process. */
const CONCURRENCY = 2;
/** How often the library looks by itself; it is told of each piece of work. @units milliseconds */
const POLL = 2_000;
/** How long the library may take to end, once no work is under way. @units milliseconds */
const stopTimeoutMs = 2_000;

/** A role that may not make schemas can use one that was made for it. */
const sayRight = (error: unknown): never => {
  if (!hasSqlState(error, SQLSTATE.INSUFFICIENT_PRIVILEGE)) throw error;
  throw new Error(
    `background work waits, since the database's role may not make the schema ${QUEUE_SCHEMA}. ` +
      `Let one who may run: CREATE SCHEMA ${QUEUE_SCHEMA} AUTHORIZATION <role>`,
  );
};

/** Makes or updates the library's tables and begins to take work. @errors what the database says, such as a missing right */
export async function openJobQueue({
  database,
  run,
  log,
}: {
  readonly database: Database;
  readonly run: (id: string) => Promise<void>;
  readonly log: (line: string) => void;
}): Promise<JobQueue> {
  // Loaded when there is work for the first time: the service starts without it.
  const { Logger, makeWorkerUtils, run: start } = await import("graphile-worker");
  const pool = await database
    .driverPool(QUEUE_SCHEMA, { max: CONCURRENCY + 2, applicationName: "parley jobs" })
    .catch(sayRight);
  const logger = new Logger(() => (level, message) => {
    if (String(level) === "error") log(`jobs: ${message.split("\n", 1)[0]}`);
  });
  const shared = { pgPool: pool, schema: QUEUE_SCHEMA, logger };
  try {
    await pool.query(PREPARATION);
    const runner = await start({
      ...shared,
      concurrency: CONCURRENCY,
      pollInterval: POLL,
      noHandleSignals: true,
      parsedCronItems: [],
      // Otherwise nobody waits for the library's note that a piece of work is done: one that fails would end the process.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      taskList: { [QUEUE_TASK]: (payload) => run((payload as { id: string }).id) },
    });
    const utils = await makeWorkerUtils(shared);
    // What a killed process had taken; our own row asked for it anew.
    await utils.cleanup({ tasks: ["DELETE_PERMAFAILED_JOBS"] });
    await utils.release();
    const ended = runner.promise.then(
      () => pool.end(),
      () => pool.end(),
    );
    return {
      ended,
      async stop() {
        const stopped = Promise.allSettled([
          // It refuses when it ended by itself.
          runner.stop(),
          ended,
        ]);
        const timer = createStopController();
        // Of a database that is gone it is no use to take leave.
        await Promise.race([stopped, sleep(stopTimeoutMs, timer.signal)]);
        timer.abort();
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
}
