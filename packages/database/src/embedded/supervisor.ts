import { setTimeout } from "node:timers/promises";
import { StartFailure, type ServerProcess } from "./process.ts";

/** A server that is started again whenever it ends unasked. */
export interface Supervised {
  /** Ends it for good. Resolves when it is gone or does not answer for a time. */
  stop(): Promise<void>;
}

/** How long a server may take to end. @units milliseconds */
const GRACE = 15_000;
/** How long an earlier server's processes may hold its memory. @units milliseconds */
const LINGER = 10_000;
const SLOWEST_RETRY = 5_000;

/** Starts a server and keeps it running. @errors what the first start throws */
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
      // Asked to end while it started.
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

/** After a postmaster was killed, its orphans hold the shared memory for a moment. */
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
