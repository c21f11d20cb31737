import { setTimeout } from "node:timers/promises";
import type { ConnectionBalancer } from "./connection-balancer.ts";
import { startWorker, type WorkerProcess } from "./worker-process.ts";

/** Keeps a number of workers running. */
interface WorkerPool {
  pids(): readonly number[];
  /** Stops the workers after their open requests have ended. Resolves when all processes have exited. */
  stop(): Promise<void>;
}

interface WorkerPoolOptions {
  readonly count: number;
  readonly balancer: ConnectionBalancer;
  readonly script: string;
  readonly args: readonly string[];
  readonly log: (line: string) => void;
}

/** Restart backoff: first and maximum delay, and the lifetime after which a worker counts as healthy. @units milliseconds */
const RESTART_BACKOFF = { firstMs: 100, maxMs: 5_000, healthyAfterMs: 10_000 };
/** How long workers may take to stop before they are killed. @units milliseconds */
const stopTimeoutMs = 10_000;

/** Starts the workers and restarts each one that exits. @errors the error of the first failed start */
export async function startWorkerPool({
  count,
  balancer: front,
  script,
  args,
  log,
}: WorkerPoolOptions): Promise<WorkerPool> {
  const workers = new Set<WorkerProcess>();
  const stopping = new AbortController();

  const startOne = (): WorkerProcess => {
    const worker = startWorker(script, args);
    workers.add(worker);
    void worker.ready.then(
      () => front.add(worker),
      () => worker.kill(),
    );
    void worker.draining.then(() => front.remove(worker, []));
    void worker.exited.then((left) => {
      workers.delete(worker);
      front.remove(worker, left);
    });
    return worker;
  };

  const keepRunning = async (first: WorkerProcess): Promise<void> => {
    let delayMs = RESTART_BACKOFF.firstMs;
    for (let worker = first; ; worker = startOne()) {
      const began = performance.now();
      await worker.exited;
      if (stopping.signal.aborted) return;
      const why = await worker.ready.then(
        () => "has exited",
        (error: Error) => `failed (${error.message.split("\n", 1)[0]})`,
      );
      delayMs =
        performance.now() - began > RESTART_BACKOFF.healthyAfterMs
          ? RESTART_BACKOFF.firstMs
          : Math.min(delayMs * 2, RESTART_BACKOFF.maxMs);
      log(`worker ${worker.pid} ${why}: restarting in ${delayMs} ms`);
      await setTimeout(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
    }
  };

  const first = Array.from({ length: count }, startOne);
  let restartLoops: readonly Promise<void>[] = [];
  const stop = async () => {
    stopping.abort();
    for (const worker of workers) worker.stop();
    const timer = new AbortController();
    const all = Promise.all([...restartLoops, ...[...workers].map(({ exited: gone }) => gone)]);
    await Promise.race([all, setTimeout(stopTimeoutMs, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
    for (const worker of workers) worker.kill();
    await all;
  };
  try {
    await Promise.all(first.map(({ ready }) => ready));
  } catch (error) {
    for (const worker of workers) worker.kill();
    await stop();
    throw error;
  }
  restartLoops = first.map(keepRunning);
  return { pids: () => [...workers].map(({ pid }) => pid), stop };
}
