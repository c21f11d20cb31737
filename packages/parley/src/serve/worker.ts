import type { Server } from "node:http";
import type { Socket } from "node:net";
import { joinDatabase, type Database } from "@parley/database";
import { NO_METRICS, type Log, type Metrics, type MetricsSnapshot } from "@parley/telemetry";
import { collectWhenIdle } from "../environment/heap.ts";
import { processMetrics } from "../metrics/instance-metrics.ts";
import { parleyConfig, type ParleyConfig } from "../environment/config.ts";
import { processLabel } from "../upgrade/process-label.ts";
import { isCommandFailure } from "../environment/failure.ts";
import type { MessageFromWorker, MessageToWorker } from "./worker-pool.ts";
import { instanceLog } from "../output/log.ts";

/** How long open requests may delay a stop. @units milliseconds */
const DRAIN_TIMEOUT_MS = 3_000;
/** Interval at which connections that became idle are closed. @units milliseconds */
const IDLE_CHECK_INTERVAL_MS = 50;

const sendToParent = (message: MessageFromWorker): void => {
  if (process.connected) process.send?.(message, undefined, {}, () => undefined);
};

/** Closes idle connections, and after the timeout the remaining connections. */
async function drain(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  const all = Promise.all([...open].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_INTERVAL_MS);
  const force = setTimeout(() => open.forEach((socket) => socket.destroy()), DRAIN_TIMEOUT_MS);
  await all;
  clearInterval(idle);
  clearTimeout(force);
}

type ReadMetrics = () => Promise<MetricsSnapshot>;

const sendMetrics = async (id: number, read: ReadMetrics): Promise<void> =>
  sendToParent({ type: "metrics", id, snapshot: await read() });

/** Accepts connections from the parent. Resolves when this process is asked to stop or the parent has exited. */
const acceptConnections = (
  server: Server,
  open: Set<Socket>,
  { readMetrics, onStopping }: { readonly readMetrics: ReadMetrics; readonly onStopping: () => void },
): Promise<void> =>
  new Promise((stop) => {
    process.on("message", (message, handle) => {
      const received = message as MessageToWorker;
      if (received.type === "stop") return stop();
      if (received.type === "stopping") return onStopping();
      if (received.type === "metrics") return void sendMetrics(received.id, readMetrics);
      sendToParent({ type: "acknowledged", id: received.id });
      const socket = handle as Socket | undefined;
      // The connection closed while it was being passed on.
      if (!socket) return sendToParent({ type: "closed" });
      open.add(socket);
      socket.once("close", () => {
        open.delete(socket);
        sendToParent({ type: "closed" });
      });
      server.emit("connection", socket);
      socket.resume();
    });
    process.once("disconnect", stop);
    process.once("SIGTERM", () => {
      sendToParent({ type: "draining" });
      stop();
    });
    // Ctrl-C signals all processes of the terminal: the parent decides when this one stops.
    process.on("SIGINT", () => undefined);
    sendToParent({ type: "ready" });
  });

/** The service or the platform, as a worker runs it. */
interface WorkerPart {
  /** Has no listener: the parent passes connections on. */
  readonly server: Server;
  close(): Promise<void>;
}

/** State of a worker before its part opens. */
export interface WorkerContext {
  readonly config: ParleyConfig;
  readonly database: Database;
  readonly metrics: Metrics;
  /** Whether load balancers must send no more requests. */
  readonly isStopping: () => boolean;
  readonly log: Log;
}

interface WorkerRun {
  /** Name of the process in metrics, such as `service-1`. */
  readonly name: string;
  readonly open: (context: WorkerContext) => Promise<WorkerPart>;
  /** Whether the part is closed before its connections are drained: event streams of pages end only when it closes. */
  readonly closesFirst: boolean;
}

/** Runs a part for connections that the parent accepts, until the parent stops it; a failure is sent to the parent. -> the exit status */
export const runWorkerPart = async ({ name, open, closesFirst }: WorkerRun): Promise<number> => {
  let database: Database | undefined;
  collectWhenIdle();
  try {
    const config = parleyConfig();
    const log = instanceLog();
    database = await joinDatabase({
      dataFolder: config.dataFolder,
      url: config.databaseUrl,
      processLabel: processLabel(),
      log,
    });
    // The parent asks for metrics where they are served only.
    const registry = config.metricsPort === undefined ? undefined : await processMetrics(name, log);
    const metrics = registry ?? NO_METRICS;
    let isStopping = false;
    const part = await open({ config, database, metrics, isStopping: () => isStopping, log });
    const connections = new Set<Socket>();
    await acceptConnections(part.server, connections, {
      readMetrics: () => registry?.snapshot() ?? Promise.resolve([]),
      onStopping: () => (isStopping = true),
    });
    const closed = closesFirst ? part.close() : undefined;
    await drain(part.server, connections);
    await (closed ?? part.close());
    return 0;
  } catch (error) {
    const isUserError = isCommandFailure(error);
    const { message = String(error), stack = message } = error as Error;
    sendToParent({ type: "failed", text: isUserError ? message : stack, isUserError });
    return 1;
  } finally {
    await database?.close();
  }
};
