import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serverHeapOptions } from "../environment/heap.ts";
import { createIpcLink, type CallHandlers, type IpcLink } from "./ipc-link.ts";
import { PLATFORM_COMMAND, type InstanceCalls, type PlatformCalls } from "./protocol.ts";

/** -> path of the command's script, which is nearer to a bundle than to this source */
const commandScript = (): string => {
  const [fromBundle = "", fromSource = ""] = ["../bin/parley.mjs", "../../bin/parley.mjs"].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  return existsSync(fromBundle) ? fromBundle : fromSource;
};

/** The platform process ended while a call was in progress, or before. */
export class PlatformProcessEnded extends Error {
  override readonly name = "PlatformProcessEnded";
}

export interface PlatformProcess extends Pick<IpcLink<PlatformCalls>, "call" | "notify"> {
  readonly isRunning: () => boolean;
  /** Resolves with the reason when the process has ended. */
  readonly ended: Promise<string>;
  kill(): void;
}

export function forkPlatformProcess(handlers: CallHandlers<InstanceCalls>): PlatformProcess {
  // Maps and undefined members keep their form in messages. Standard output belongs to the announcement of the instance.
  const child = fork(commandScript(), [PLATFORM_COMMAND], {
    stdio: ["ignore", 2, "inherit", "ipc"],
    serialization: "advanced",
    execArgv: serverHeapOptions(),
  });
  const link = createIpcLink<InstanceCalls, PlatformCalls>((message) => {
    // Send errors are ignored: the exit event reports a dead process.
    if (child.connected) child.send(message as object, undefined, {}, () => undefined);
  }, handlers);
  child.on("message", (message) => link.receive(message));
  let isRunning = true;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `status ${code}`));
  });
  void ended.then((reason) => {
    isRunning = false;
    link.fail(new PlatformProcessEnded(reason));
  });
  return {
    call: (name, ...args) => link.call(name, ...args),
    notify: (name, ...args) => link.notify(name, ...args),
    isRunning: () => isRunning,
    ended,
    kill: () => void child.kill("SIGKILL"),
  };
}
