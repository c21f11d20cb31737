import { fork } from "node:child_process";
import type { Socket } from "node:net";
import { CommandFailure } from "../environment/failure.ts";
import type { ConnectionTarget } from "./connection-balancer.ts";
import type { MessageFromWorker, MessageToWorker } from "./messages.ts";

/** Handle of a worker process. */
export interface WorkerProcess extends ConnectionTarget {
  readonly pid: number;
  /** Resolves when the worker accepts connections. @errors UsageFailure or Error with the reason when it fails to start */
  readonly ready: Promise<void>;
  /** Resolves when the worker accepts no more connections or has exited. */
  readonly leaving: Promise<void>;
  /** Resolves when the process has exited, with the connections that it had not acknowledged. Nothing was read from these. */
  readonly gone: Promise<readonly Socket[]>;
  /** Asks the worker to finish its open requests and exit. */
  stop(): void;
  kill(): void;
}

/** A worker whose oldest unacknowledged connection is older than this counts as blocked or overloaded. @units milliseconds */
const STUCK = 1_000;

export function startWorker(script: string, args: readonly string[]): WorkerProcess {
  const child = fork(script, [...args], { stdio: ["ignore", 2, "inherit", "ipc"] });
  const given = new Map<number, { readonly connection: Socket; readonly at: number }>();
  let [last, open] = [0, 0];
  const tell = (told: MessageToWorker, connection?: Socket) => {
    if (!child.connected) return;
    // Send errors are ignored: the exit event reports a dead worker. `keepOpen` keeps the socket open here until the worker acknowledges it.
    child.send(told, connection, { keepOpen: true }, () => undefined);
  };
  let leave = (): void => undefined;
  const leaving = new Promise<void>((resolve) => (leave = resolve));
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`it ended with ${code ?? signal}`));
  });
  void exited.then(leave);
  const ready = new Promise<void>((resolve, reject) => {
    void exited.then((reason) => reject(new Error(`A worker can't begin: ${reason}.`)));
    child.on("message", (message) => {
      const said = message as MessageFromWorker;
      if (said.say === "ready") resolve();
      else if (said.say === "failed") reject(said.isTelling ? new CommandFailure(said.text) : new Error(said.text));
      else if (said.say === "left") open -= 1;
      else if (said.say === "leaving") leave();
      else {
        given.get(said.id)?.connection.destroy();
        given.delete(said.id);
      }
    });
  });
  ready.catch(() => undefined);

  return {
    pid: child.pid ?? 0,
    ready,
    leaving,
    gone: exited.then(() => [...given.values()].map(({ connection }) => connection)),
    load() {
      const [oldest] = given.values();
      return oldest && performance.now() - oldest.at > STUCK ? Infinity : open;
    },
    give(connection) {
      last += 1;
      open += 1;
      given.set(last, { connection, at: performance.now() });
      tell({ say: "connection", id: last }, connection);
    },
    stop: () => tell({ say: "stop" }),
    kill: () => void child.kill("SIGKILL"),
  };
}
