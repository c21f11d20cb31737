import { setTimeout } from "node:timers/promises";
import { StartFailure, type ServerProcess } from "./process.ts";

/** A server that is restarted when it ends unexpectedly. */
export interface Supervised {
  /** Stops the server for good. Resolves when the server has ended, or after a timeout. */
  stop(): Promise<void>;
}

/** Maximum duration of a shutdown. @units milliseconds */
const GRACE = 15_000;
/** Maximum time that processes of an earlier server can hold the shared memory. @units milliseconds */
const LINGER = 10_000;
const SLOWEST_RETRY = 5_000;

/** Starts a server and restarts it when it ends. @errors errors of the first start */
export async function supervise(start: () => Promise<ServerProcess>, log: (line: string) => void): Promise<Supervised> {
  let stopping = false;
  let current = await startPatiently(start);

  const keep = async () => {
    for (;;) {
      const reason = await current.ended;
      if (stopping) return;
      log(`PostgreSQL is gone (${reason}): starting it again`);
      for (let pause = 100; ; pause = Math.min(pause * 2, SLOWEST_RETRY)) {
        try {
          current = await startPatiently(start);
          break;
        } catch (error) {
          log(`PostgreSQL does not start: ${String(error)}`);
          await setTimeout(pause);
          if (stopping) return;
        }
      }
      // `stop` was called during the restart.
      if (stopping) current.stop();
    }
  };
  const kept = keep();

  return {
    stop: async () => {
      stopping = true;
      current.stop();
      const timer = new AbortController();
      await Promise.race([kept, setTimeout(GRACE, undefined, { signal: timer.signal })]);
      timer.abort();
    },
  };
}

/** Retries for some seconds, since the child processes of a killed postmaster hold its shared memory for a moment. */
async function startPatiently(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
  const deadline = performance.now() + LINGER;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const lingers = error instanceof StartFailure && /shared memory block|lock file/.test(error.message);
      if (!lingers || performance.now() > deadline) throw error;
      await setTimeout(50);
    }
  }
}
