import type { ChildProcess } from "node:child_process";
import type { Boundary } from "../../sandbox/boundary.ts";

interface MemoryLimits {
  readonly heapMb: number;
  readonly dataMb: number;
}

/** Starts a process for an app's code. Descriptor 3 of the process is its lifeline, 4 the channel. */
export interface LaunchProgram {
  (script: string, limits: MemoryLimits): ChildProcess;
}

/** Node 22 renamed it; both know no file, process, worker or addon unless told. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** @units files; seconds of processor time, after which the next call begins a new process; mebibytes */
const LIMITS = { openFiles: 128, processorSeconds: 3_600, fileMb: 0 };

/**
 * Under Node's permission model a process may look into itself by this option only. An older Node has none: where code is counted, the
 * boundary of the operating system stands alone.
 */
const allowInspector = "--allow-inspector";
const countingOptions = process.allowedNodeEnvironmentFlags.has(allowInspector) ? [permission, allowInspector] : [];

/**
 * Runs apps' code inside a boundary, under Node's own permission model as well.
 * @shape isCounted: whether the processes count what they run; only inside a strong boundary
 */
export const createLauncher =
  ({ start }: Boundary, isCounted = false): LaunchProgram =>
  (script, { heapMb, dataMb }) => {
    const child = start({
      args: [...(isCounted ? countingOptions : [permission]), `--max-old-space-size=${heapMb}`, "--no-warnings", "-"],
      limits: { ...LIMITS, dataMb },
      environment: { TZ: "UTC" },
      stdio: ["pipe", "pipe", "pipe", "pipe"],
    });
    child.stdin?.on("error", () => undefined);
    // In a function, since the names of a script's top level are everybody's; not by a file, which it might not be able to read.
    child.stdin?.end(`(() => {"use strict";${script}\n})()`);
    return child;
  };
