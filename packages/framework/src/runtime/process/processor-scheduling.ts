import { spawn } from "node:child_process";
import { sourceText } from "../../environment/assets.ts";
import { architectureOf } from "../../sandbox/system-calls.ts";
import { threadsOf } from "./process-usage.ts";

/** The kernel's numbers of the policies. */
const NORMAL = 0;
const IDLE = 5;
/** The longest time that Linux accepts. @units nanoseconds */
const LONGEST_SLICE_NS = 100_000_000;

/** Changes how the threads of processes are scheduled. Linux only; elsewhere, and without Perl, nothing changes. */
export interface ProcessorScheduling {
  /**
   * Gives way: every thread of another process that wakes up takes the processor at once. A low priority alone leaves a process running until the next
   * tick of the clock (4 ms), and the others in the queue of the other processor, since none of the processors is idle.
   */
  giveWay(pids: readonly number[]): void;
  /** Back to the usual scheduling. */
  restore(pids: readonly number[]): void;
}

export const createProcessorScheduling = (): ProcessorScheduling => {
  const number = process.platform === "linux" ? architectureOf(process.arch)?.numberOf("sched_setattr") : undefined;
  const change = async (policy: number, slice: number, pids: readonly number[]): Promise<void> => {
    const threads = pids.flatMap(threadsOf);
    if (number === undefined || threads.length === 0) return;
    const script = await sourceText("runtime/process/scheduling.pl").catch(() => undefined);
    if (script === undefined) return;
    const values = [number, policy, slice, ...threads].map(String);
    spawn("perl", ["-e", script, ...values], { stdio: "ignore" })
      .on("error", () => undefined)
      .unref();
  };
  // Without the rights of root, a process does not return from the policy of idle processes.
  const isRoot = process.geteuid?.() === 0;
  return {
    giveWay: (pids) => void change(isRoot ? IDLE : NORMAL, LONGEST_SLICE_NS, pids),
    restore: (pids) => void change(NORMAL, 0, pids),
  };
};
