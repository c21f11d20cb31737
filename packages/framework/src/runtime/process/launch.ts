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

/** Node 22 renamed the option. With either name a process has no access to files, processes, workers or addons unless permitted. */
const permission = process.allowedNodeEnvironmentFlags.has("--permission")
  ? "--permission"
  : "--experimental-permission";

/** @units files; seconds of processor time, after which the next call begins a new process; mebibytes */
const LIMITS = { openFiles: 128, processorSeconds: 3_600, fileMb: 0 };

/**
 * Under Node's permission model a process can use its own inspector only with this option. Earlier versions lack the option: there, a process
 * whose coverage is measured is confined by the operating system's boundary alone.
 */
const allowInspector = "--allow-inspector";
const countingOptions = process.allowedNodeEnvironmentFlags.has(allowInspector) ? [permission, allowInspector] : [];

/**
 * Runs apps' code inside a boundary and under Node's permission model.
 * @shape isCounted: whether the processes measure coverage; only inside a strong boundary
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
    // In a function, because names at the top level of a script are global; by standard input, because the process may not be able to read a file.
    child.stdin?.end(`(() => {"use strict";${script}\n})()`);
    return child;
  };
