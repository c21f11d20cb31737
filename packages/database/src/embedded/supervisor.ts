import type { Log } from "@parley/telemetry";
import { setTimeout } from "node:timers/promises";
import { StartFailure, type ServerProcess } from "./process.ts";

/** A server that is restarted when it ends unexpectedly. */
interface SupervisedServer {
  /** Stops the server for good. Resolves when the server has ended, or after a timeout. */
  stop(): Promise<void>;
}

/** Maximum duration of a shutdown. @units milliseconds */
const SHUTDOWN_TIMEOUT_MS = 15_000;
/** Maximum time that processes of an earlier server can hold the shared memory. @units milliseconds */
const SHARED_MEMORY_TIMEOUT_MS = 10_000;
const RESTART_DELAY_MS_MAX = 5_000;

/** Starts a server and restarts it when it ends. @errors errors of the first start */
export async function supervise(start: () => Promise<ServerProcess>, log: Log): Promise<SupervisedServer> {
  let isStopping = false;
  let current = await startWithRetries(start);

  const superviseLoop = async () => {
    for (;;) {
      const reason = await current.ended;
      if (isStopping) return;
      log(`PostgreSQL is gone (${reason}): starting it again`);
      for (let delayMs = 100; ; delayMs = Math.min(delayMs * 2, RESTART_DELAY_MS_MAX)) {
        try {
          current = await startWithRetries(start);
          break;
        } catch (error) {
          log(`PostgreSQL does not start: ${String(error)}`);
          await setTimeout(delayMs);
          if (isStopping) return;
        }
      }
      // `stop` was called during the restart.
      if (isStopping) current.stop();
    }
  };
  const stopped = superviseLoop();

  return {
    stop: async () => {
      isStopping = true;
      current.stop();
      const timer = new AbortController();
      await Promise.race([stopped, setTimeout(SHUTDOWN_TIMEOUT_MS, undefined, { signal: timer.signal })]);
      timer.abort();
    },
  };
}

/** Retries for some seconds, since the child processes of a killed postmaster hold its shared memory for a moment. */
async function startWithRetries(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
  const deadline = performance.now() + SHARED_MEMORY_TIMEOUT_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isMemoryInUse = error instanceof StartFailure && /shared memory block|lock file/.test(error.message);
      if (!isMemoryInUse || performance.now() > deadline) throw error;
      await setTimeout(50);
    }
  }
}
