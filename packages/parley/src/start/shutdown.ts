import { setTimeout as wait } from "node:timers/promises";
import type { Log } from "@parley/telemetry";
import { instanceLog } from "../output/log.ts";

/** Closes resources in reverse order of registration; an error does not prevent the remaining resources from closing. */
export const createCloseStack = () => {
  const closers: (() => Promise<void>)[] = [];
  return {
    add: (close: () => Promise<void>) => void closers.push(close),
    async close() {
      for (let close = closers.pop(); close; close = closers.pop()) await close().catch(() => undefined);
    },
  };
};
export type CloseStack = ReturnType<typeof createCloseStack>;

/** Cause of a stop: a signal, or the end of the parent process. */
type StopReason = "SIGINT" | "SIGTERM" | "SIGHUP" | "parent";

/**
 * Resolves `reached` on a request to stop: Ctrl-C, SIGTERM, SIGHUP, or the exit of the parent process.
 * @shape isDaemon: ignores SIGHUP and the exit of the parent
 */
export function stopSignal({ isDaemon = false } = {}) {
  let aborted = false;
  const again = new AbortController();
  const reached = new Promise<StopReason>((resolve) => {
    const parent = process.ppid;
    const stop = (reason: StopReason) => {
      if (aborted) again.abort();
      aborted = true;
      clearInterval(watch);
      resolve(reason);
    };
    // A parent can exit without forwarding a signal (npm killed by its id, a shell in between): this process is then adopted by another process.
    const watch = setInterval(() => !isDaemon && process.ppid !== parent && parent !== 1 && stop("parent"), 500);
    watch.unref();
    if (isDaemon) process.on("SIGHUP", () => undefined);
    for (const name of ["SIGINT", "SIGTERM", ...(isDaemon ? [] : (["SIGHUP"] as const))] as const) {
      let count = 0;
      process.on(name, () => {
        // npm forwards a Ctrl-C that the terminal has also sent to this process, so only the third signal forces an exit.
        if (++count > 2) process.exit(130);
        stop(name);
      });
    }
  });
  return {
    get aborted() {
      return aborted;
    },
    reached,
    /** Aborts at a further request to stop. */
    again: again.signal,
  };
}

/** Default time limit of a shutdown. @units milliseconds */
const DEFAULT_STOP_MS = 4_500;

export interface RunHooks {
  /** Receives a line at the beginning of each step of the start. */
  readonly progress: (line: string) => void;
  readonly log: Log;
  /** Aborts when the command is asked to stop. */
  readonly stopped: AbortSignal;
}

interface Closable {
  /** Tells load balancers to send no more requests. */
  announceStop?(): void;
  close(): Promise<void>;
}

interface StartAnnouncement<R extends Closable> {
  /** Prints nothing but the announcement. */
  readonly json: boolean;
  /** @units seconds: since the start began */
  readonly announce: (running: R, seconds: number) => string;
  /** Keeps running after the terminal or the parent process has ended. */
  readonly isDaemon?: boolean;
  /** Time limit of a shutdown; 4.5 s by default. @units milliseconds */
  readonly stopMs?: number;
  /** How long requests are served after SIGTERM, so that load balancers notice; 0 by default. @units milliseconds */
  readonly stopDelayMs?: number;
}

/** Starts something, prints its announcement, and waits until Ctrl-C, SIGTERM or the exit of the parent process. */
export async function untilStopped<R extends Closable>(
  start: (hooks: RunHooks) => Promise<R>,
  { json, announce, isDaemon = false, stopMs = DEFAULT_STOP_MS, stopDelayMs = 0 }: StartAnnouncement<R>,
): Promise<void> {
  const startTime = performance.now();
  const stop = stopSignal({ isDaemon });
  const stopping = new AbortController();
  void stop.reached.then(() => stopping.abort());
  const print = (line: string) => process.stderr.write(`${line}\n`);
  const isQuiet = json || !process.stderr.isTTY;
  let running: R;
  try {
    running = await start({
      progress: isQuiet ? () => undefined : (line) => print(`  ${line} …`),
      log: instanceLog(),
      stopped: stopping.signal,
    });
  } catch (error) {
    // A start that is interrupted by a stop is not a failure.
    if (stop.aborted) return;
    throw error;
  }
  if (!stop.aborted) process.stdout.write(`${announce(running, (performance.now() - startTime) / 1000)}\n`);
  const reason = await stop.reached;
  if (!isQuiet) print("  Stopping …");
  if (reason === "SIGTERM" && stopDelayMs > 0) {
    running.announceStop?.();
    await wait(stopDelayMs, undefined, { signal: stop.again }).catch(() => undefined);
  }
  // PostgreSQL and the apps' processes end with this process, even when closing hangs.
  const timeout = setTimeout(() => process.exit(1), stopMs);
  await running.close();
  clearTimeout(timeout);
}
