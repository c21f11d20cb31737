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
  readonly front: ConnectionBalancer;
  readonly script: string;
  readonly args: readonly string[];
  readonly log: (line: string) => void;
}

/** Restart backoff: first and maximum delay, and the lifetime after which a worker counts as healthy. @units milliseconds */
const AGAIN = { first: 100, longest: 5_000, sound: 10_000 };
/** How long workers may take to stop before they are killed. @units milliseconds */
const GRACE = 10_000;

/** Starts the workers and restarts each one that exits. @errors the error of the first failed start */
export async function startWorkerPool({ count, front, script, args, log }: WorkerPoolOptions): Promise<WorkerPool> {
  const workers = new Set<WorkerProcess>();
  const over = new AbortController();

  const begin = (): WorkerProcess => {
    const worker = startWorker(script, args);
    workers.add(worker);
    void worker.ready.then(
      () => front.add(worker),
      () => worker.kill(),
    );
    void worker.leaving.then(() => front.remove(worker, []));
    void worker.gone.then((left) => {
      workers.delete(worker);
      front.remove(worker, left);
    });
    return worker;
  };

  const keep = async (first: WorkerProcess): Promise<void> => {
    let pause = AGAIN.first;
    for (let worker = first; ; worker = begin()) {
      const began = performance.now();
      await worker.gone;
      if (over.signal.aborted) return;
      const why = await worker.ready.then(
        () => "is gone",
        (error: Error) => `failed (${error.message.split("\n", 1)[0]})`,
      );
      pause = performance.now() - began > AGAIN.sound ? AGAIN.first : Math.min(pause * 2, AGAIN.longest);
      log(`worker ${worker.pid} ${why}: another one starts in ${pause} ms`);
      await setTimeout(pause, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
    }
  };

  const first = Array.from({ length: count }, begin);
  let kept: readonly Promise<void>[] = [];
  const stop = async () => {
    over.abort();
    for (const worker of workers) worker.stop();
    const timer = new AbortController();
    const all = Promise.all([...kept, ...[...workers].map(({ gone }) => gone)]);
    await Promise.race([all, setTimeout(GRACE, undefined, { signal: timer.signal }).catch(() => undefined)]);
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
  kept = first.map(keep);
  return { pids: () => [...workers].map(({ pid }) => pid), stop };
}
