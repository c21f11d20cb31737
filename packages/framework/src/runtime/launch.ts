import type { ChildProcess } from "node:child_process";
import type { Boundary } from "../sandbox/boundary.ts";

export interface MemoryLimits {
  readonly heapMb: number;
  readonly dataMb: number;
}

/** Starts a process for an app's code. Descriptor 3 of the process is its lifeline, 4 the channel. */
export interface Launch {
  (script: string, limits: MemoryLimits): ChildProcess;
}

/** Node 22 renamed it; both know no file, process, worker or addon unless told. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** @units files; seconds of processor time, after which the next call begins a new process; mebibytes */
const LIMITS = { openFiles: 128, processorSeconds: 3_600, fileMb: 0 };

/** Runs apps' code inside a boundary, under Node's own permission model as well. */
export const launchIn =
  ({ start }: Boundary): Launch =>
  (script, { heapMb, dataMb }) => {
    const child = start({
      args: [permission, `--max-old-space-size=${heapMb}`, "--no-warnings", "-"],
      limits: { ...LIMITS, dataMb },
      environment: { TZ: "UTC" },
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    child.stdin?.on("error", () => undefined);
    // In a function, since the names of a script's top level are everybody's; not by a file, which it might not be able to read.
    child.stdin?.end(`(() => {"use strict";${script}\n})()`);
    return child;
  };
