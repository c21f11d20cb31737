import type { Log, Metrics, MetricsSnapshot } from "@parley/telemetry";
import { fork } from "node:child_process";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandFailure } from "../environment/failure.ts";
import { serverHeapOptions } from "../environment/heap.ts";
import type { ConnectionTarget, ConnectionBalancer } from "./connection-balancer.ts";

/** Messages to a worker; the socket of a connection is sent along with its id. */
export type MessageToWorker =
  | { readonly type: "connection"; readonly id: number }
  | { readonly type: "stop" }
  /** The process will stop soon: load balancers are told so. */
  | { readonly type: "stopping" }
  /** The worker sends its metrics. */
  | { readonly type: "metrics"; readonly id: number };

/** Messages from a worker. */
export type MessageFromWorker =
  /** The worker accepts connections. */
  | { readonly type: "ready" }
  /** The worker failed to start; `isUserError`: the text is a message for the user. */
  | { readonly type: "failed"; readonly text: string; readonly isUserError: boolean }
  /** The worker acknowledges the connection of this id. */
  | { readonly type: "acknowledged"; readonly id: number }
  /** The metrics of the worker, with the id of the request for them. */
  | { readonly type: "metrics"; readonly id: number; readonly snapshot: MetricsSnapshot }
  /** One of the worker's connections closed. */
  | { readonly type: "closed" }
  /** The worker was asked to stop by another process and accepts no more connections. */
  | { readonly type: "draining" };

/** Handle of a worker process. */
interface WorkerProcess extends ConnectionTarget {
  readonly pid: number;
  /** Resolves when the worker accepts connections. @errors CommandFailure or Error with the reason when it fails to start */
  readonly ready: Promise<void>;
  /** Resolves when the worker accepts no more connections or has exited. */
  readonly draining: Promise<void>;
  /** Resolves when the process has exited, with the connections that it had not acknowledged. Nothing was read from these. */
  readonly exited: Promise<readonly Socket[]>;
  /** Reads the metrics of the worker. -> nothing from a worker that is starting, blocked or gone */
  metrics(): Promise<readonly MetricsSnapshot[]>;
  /** The worker tells load balancers that it will stop. */
  announceStop(): void;
  /** Asks the worker to finish its open requests and exit. */
  stop(): void;
  kill(): void;
}

/** A worker whose oldest unacknowledged connection is older than this counts as blocked or overloaded. @units milliseconds */
const STUCK_AFTER_MS = 1_000;

/** How long a worker may take to send its metrics: less than the time limit of Prometheus. @units milliseconds */
const METRICS_TIMEOUT_MS = 3_000;

function startWorker(script: string, args: readonly string[]): WorkerProcess {
  const child = fork(script, [...args], { stdio: ["ignore", 2, "inherit", "ipc"], execArgv: serverHeapOptions() });
  const unacknowledged = new Map<number, { readonly connection: Socket; readonly at: number }>();
  const readings = new Map<number, (snapshots: readonly MetricsSnapshot[]) => void>();
  let [last, open] = [0, 0];
  const send = (message: MessageToWorker, connection?: Socket) => {
    if (!child.connected) return;
    // Send errors are ignored: the exit event reports a dead worker. `keepOpen` keeps the socket open here until the worker acknowledges it.
    child.send(message, connection, { keepOpen: true }, () => undefined);
  };
  let markDraining = (): void => undefined;
  const draining = new Promise<void>((resolve) => (markDraining = resolve));
  const exitReason = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it exited with ${code ?? signal}`));
  });
  void exitReason.then(markDraining);
  // Nothing waits for `exitReason` at each reading of the metrics: its reactions stay in memory for as long as the worker lives.
  void exitReason.then(() => readings.forEach((answer) => answer([])));
  const ready = new Promise<void>((resolve, reject) => {
    void exitReason.then((reason) => reject(new Error(`A worker can't start: ${reason}.`)));
    child.on("message", (message) => {
      const received = message as MessageFromWorker;
      if (received.type === "ready") resolve();
      else if (received.type === "failed")
        reject(received.isUserError ? new CommandFailure(received.text) : new Error(received.text));
      else if (received.type === "closed") open -= 1;
      else if (received.type === "metrics") readings.get(received.id)?.([received.snapshot]);
      else if (received.type === "draining") markDraining();
      else {
        unacknowledged.get(received.id)?.connection.destroy();
        unacknowledged.delete(received.id);
      }
    });
  });
  ready.catch(() => undefined);

  return {
    pid: child.pid ?? 0,
    ready,
    draining,
    exited: exitReason.then(() => [...unacknowledged.values()].map(({ connection }) => connection)),
    load() {
      const [oldest] = unacknowledged.values();
      return oldest && performance.now() - oldest.at > STUCK_AFTER_MS ? Infinity : open;
    },
    accept(connection) {
      last += 1;
      open += 1;
      unacknowledged.set(last, { connection, at: performance.now() });
      send({ type: "connection", id: last }, connection);
    },
    async metrics() {
      if (!child.connected) return [];
      last += 1;
      const id = last;
      const answer = new Promise<readonly MetricsSnapshot[]>((resolve) => readings.set(id, resolve));
      const timer = setTimeout(() => readings.get(id)?.([]), METRICS_TIMEOUT_MS);
      send({ type: "metrics", id });
      const snapshots = await answer;
      clearTimeout(timer);
      readings.delete(id);
      return snapshots;
    },
    announceStop: () => send({ type: "stopping" }),
    stop: () => send({ type: "stop" }),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** Keeps a number of workers running. */
interface WorkerPool {
  pids(): readonly number[];
  /** All workers tell load balancers that they will stop. */
  announceStop(): void;
  /** Metrics of all workers. */
  metrics(): Promise<readonly MetricsSnapshot[]>;
  /** Stops the workers after their open requests have ended. Resolves when all processes have exited. */
  stop(): Promise<void>;
}

interface WorkerPoolOptions {
  readonly count: number;
  readonly balancer: ConnectionBalancer;
  readonly script: string;
  readonly args: readonly string[];
  /** The program of the workers. */
  readonly part: "service" | "platform";
  readonly metrics: Metrics;
  readonly log: Log;
}

/** Restart backoff: first and maximum delay, and the lifetime after which a worker counts as healthy. @units milliseconds */
const RESTART_BACKOFF = { firstMs: 100, maxMs: 5_000, healthyAfterMs: 10_000 };
/** How long workers may take to stop before they are killed. @units milliseconds */
const STOP_TIMEOUT_MS = 10_000;

/** Starts the workers and restarts each one that exits. @errors the error of the first failed start */
export async function startWorkerPool({
  count,
  balancer: front,
  script,
  args,
  part,
  metrics,
  log,
}: WorkerPoolOptions): Promise<WorkerPool> {
  const workers = new Set<WorkerProcess>();
  const stopping = new AbortController();

  const countRestart = metrics.counter("parley_worker_restarts_total");
  metrics.gauge("parley_workers", () => [{ labels: { part }, value: workers.size }]);

  /** @shape number: a restarted worker has the number of the worker that it replaces */
  const startOne = (number: number): WorkerProcess => {
    const worker = startWorker(script, [...args, "--number", String(number)]);
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

  const keepRunning = async (first: WorkerProcess, index: number): Promise<void> => {
    let delayMs = RESTART_BACKOFF.firstMs;
    for (let worker = first; ; worker = startOne(index + 1)) {
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
      countRestart({ part });
      log(`A process of the ${part} (${worker.pid}) ${why}: it is started again in ${delayMs} ms.`, { level: "error" });
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
    }
  };

  const first = Array.from({ length: count }, (_, index) => startOne(index + 1));
  let restartLoops: readonly Promise<void>[] = [];
  const stop = async () => {
    stopping.abort();
    for (const worker of workers) worker.stop();
    const timer = new AbortController();
    const all = Promise.all([...restartLoops, ...[...workers].map(({ exited: gone }) => gone)]);
    await Promise.race([all, sleep(STOP_TIMEOUT_MS, undefined, { signal: timer.signal }).catch(() => undefined)]);
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
  return {
    pids: () => [...workers].map(({ pid }) => pid),
    announceStop() {
      for (const worker of workers) worker.announceStop();
    },
    metrics: async () => (await Promise.all([...workers].map((worker) => worker.metrics()))).flat(),
    stop,
  };
}
