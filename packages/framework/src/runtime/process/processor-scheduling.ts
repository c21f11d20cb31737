import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { sourceText } from "../../environment/assets.ts";
import { architectureOf } from "../../sandbox/system-calls.ts";
import { threadsOf } from "./process-usage.ts";

/** The kernel's numbers of the policies. */
const NORMAL = 0;
const IDLE = 5;
/** The longest time that Linux accepts. @units nanoseconds */
const LONGEST_SLICE_NS = 100_000_000;
/** Time without a change after which the helper ends. @units milliseconds */
const HELPER_IDLE_MS = 10_000;

/** Changes how the threads of processes are scheduled. Linux only; elsewhere, and without Perl, nothing changes. */
export interface ProcessorScheduling {
  /**
   * Gives way: every thread of another process that wakes up takes the processor at once. A low priority alone leaves a process running until the next
   * tick of the clock (4 ms), and the others in the queue of the other processor, since no processor is idle.
   */
  giveWay(pids: readonly number[]): void;
  /** Back to the usual scheduling. */
  restore(pids: readonly number[]): void;
  /** Ends the process that makes the changes; the next change starts another process. */
  end(): void;
}

export const createProcessorScheduling = (): ProcessorScheduling => {
  const number = process.platform === "linux" ? architectureOf(process.arch)?.numberOf("sched_setattr") : undefined;
  const script = number === undefined ? undefined : sourceText("runtime/process/scheduling.pl").catch(() => undefined);
  let helper: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;

  /** Starts the process that makes the system calls: one for all changes, since there may be several a second. */
  const startHelper = (text: string): ChildProcess => {
    const child = spawn("perl", ["-e", text, String(number)], { stdio: ["pipe", "ignore", "ignore"] });
    const forget = () => {
      if (helper === child) helper = undefined;
    };
    child.on("error", forget).on("exit", forget).unref();
    // A change that is written when the helper has just ended is lost; the processor time stays limited.
    (child.stdin as Socket).on("error", forget).unref();
    return child;
  };
  const endHelper = (): void => {
    clearTimeout(idle);
    helper?.stdin?.end();
    helper = undefined;
  };
  const change = async (policy: number, slice: number, pids: readonly number[]): Promise<void> => {
    const text = await script;
    const threads = pids.flatMap(threadsOf);
    if (text === undefined || threads.length === 0) return;
    helper ??= startHelper(text);
    helper.stdin?.write(`${[policy, slice, ...threads].join(" ")}\n`);
    clearTimeout(idle);
    idle = setTimeout(endHelper, HELPER_IDLE_MS).unref();
  };
  // Without the rights of root, a process does not return from the policy of idle processes.
  const isRoot = process.geteuid?.() === 0;
  return {
    giveWay: (pids) => void change(isRoot ? IDLE : NORMAL, LONGEST_SLICE_NS, pids),
    restore: (pids) => void change(NORMAL, 0, pids),
    end: endHelper,
  };
};
