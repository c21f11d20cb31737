import type { ChildProcess } from "node:child_process";
import type { Stream } from "node:stream";
import { endProgram } from "../../sandbox/confined-program.ts";
import type { LaunchProgram } from "./process-link.ts";

interface ReserveOptions {
  readonly launch: LaunchProgram;
  /** Source text of the child's program. */
  readonly program: string;
  readonly limits: Parameters<LaunchProgram>[1];
  /** Number of processes that are kept ready. */
  readonly size: number;
}

/** Processes that have loaded the child's program and wait for the code of an app. */
interface ProcessReserve {
  /** Starts a process, or takes one that is ready. */
  readonly launch: LaunchProgram;
  /** Starts one more process if fewer than `size` are ready. Returns whether it did. */
  fill(): boolean;
  /** Ends the processes that are ready. */
  close(): Promise<void>;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/**
 * Keeps processes without an app, so that the first event of a sleeping installation needs no start of Node. Such a process has received
 * nothing of any app; it is used once.
 */
export const createProcessReserve = ({ launch, program, limits, size }: ReserveOptions): ProcessReserve => {
  const ready = new Set<ChildProcess>();
  /** Takes the place of the error listeners of a process that is in use. */
  const ignore = () => undefined;

  return {
    launch(script, wanted) {
      const isSame = script === program && wanted.heapMb === limits.heapMb && wanted.dataMb === limits.dataMb;
      for (const child of isSame ? ready : []) {
        ready.delete(child);
        if (!hasEnded(child)) return child;
      }
      return launch(script, wanted);
    },
    fill() {
      if (ready.size >= size) return false;
      const child = launch(program, limits);
      child.on("error", ignore);
      for (const stream of child.stdio.slice(1)) (stream as Stream | null)?.on("error", ignore);
      child.once("exit", () => {
        // A process that was taken is ended by its user.
        if (ready.delete(child)) endProgram(child);
      });
      if (child.pid !== undefined) ready.add(child);
      return true;
    },
    async close() {
      const children = [...ready];
      ready.clear();
      await Promise.all(
        children.map(async (child) => {
          if (hasEnded(child)) return;
          const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
          // Its output is read, because "exit" of a killed process may otherwise be followed by no "close".
          for (const stream of [child.stdout, child.stderr]) stream?.resume();
          endProgram(child);
          await ended;
        }),
      );
    },
  };
};
