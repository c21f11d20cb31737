import { fork } from "node:child_process";
import type { Socket } from "node:net";
import { CommandFailure } from "../environment/failure.ts";
import type { ConnectionTarget } from "./connection-balancer.ts";
import type { MessageFromWorker, MessageToWorker } from "./messages.ts";

/** Handle of a worker process. */
export interface WorkerProcess extends ConnectionTarget {
  readonly pid: number;
  /** Resolves when the worker accepts connections. @errors CommandFailure or Error with the reason when it fails to start */
  readonly ready: Promise<void>;
  /** Resolves when the worker accepts no more connections or has exited. */
  readonly draining: Promise<void>;
  /** Resolves when the process has exited, with the connections that it had not acknowledged. Nothing was read from these. */
  readonly exited: Promise<readonly Socket[]>;
  /** Asks the worker to finish its open requests and exit. */
  stop(): void;
  kill(): void;
}

/** A worker whose oldest unacknowledged connection is older than this counts as blocked or overloaded. @units milliseconds */
const stuckAfterMs = 1_000;

export function startWorker(script: string, args: readonly string[]): WorkerProcess {
  const child = fork(script, [...args], { stdio: ["ignore", 2, "inherit", "ipc"] });
  const unacknowledged = new Map<number, { readonly connection: Socket; readonly at: number }>();
  let [last, open] = [0, 0];
  const send = (message: MessageToWorker, connection?: Socket) => {
    if (!child.connected) return;
    // Send errors are ignored: the exit event reports a dead worker. `keepOpen` keeps the socket open here until the worker acknowledges it.
    child.send(message, connection, { keepOpen: true }, () => undefined);
  };
  let markDraining = (): void => undefined;
  const leaving = new Promise<void>((resolve) => (markDraining = resolve));
  const exitReason = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it exited with ${code ?? signal}`));
  });
  void exitReason.then(markDraining);
  const ready = new Promise<void>((resolve, reject) => {
    void exitReason.then((reason) => reject(new Error(`A worker can't start: ${reason}.`)));
    child.on("message", (message) => {
      const received = message as MessageFromWorker;
      if (received.type === "ready") resolve();
      else if (received.type === "failed")
        reject(received.isUserError ? new CommandFailure(received.text) : new Error(received.text));
      else if (received.type === "closed") open -= 1;
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
    draining: leaving,
    exited: exitReason.then(() => [...unacknowledged.values()].map(({ connection }) => connection)),
    load() {
      const [oldest] = unacknowledged.values();
      return oldest && performance.now() - oldest.at > stuckAfterMs ? Infinity : open;
    },
    accept(connection) {
      last += 1;
      open += 1;
      unacknowledged.set(last, { connection, at: performance.now() });
      send({ type: "connection", id: last }, connection);
    },
    stop: () => send({ type: "stop" }),
    kill: () => void child.kill("SIGKILL"),
  };
}
