import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Processor time is counted in these units, on every architecture of Linux. @units per second */
const TICKS_PER_SECOND = 100;

/** Whether the operating system tells the processor time of other processes. */
export const hasProcessTimes = existsSync("/proc/self/stat");

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
};

const childrenOf = (pid: number): number[] =>
  read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);

/** Size of a page of memory, on the architectures that Node.js has builds for. @units bytes */
const PAGE_BYTES = 4_096;

/** Memory of a process that is not swapped out. @units bytes; 0 for a process that has ended */
export const residentBytes = (pid: number): number =>
  Number(read(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * PAGE_BYTES;

/** -> ids of the threads of a process; an empty list for a process that has ended */
export const threadsOf = (pid: number): number[] => {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
};

/** -> a process and its descendants, each with its children */
export const processTree = (pid: number): ReadonlyMap<number, readonly number[]> => {
  const tree = new Map<number, readonly number[]>();
  const pids = [pid];
  for (const each of pids) {
    const children = childrenOf(each);
    tree.set(each, children);
    pids.push(...children);
  }
  return tree;
};

/** Processor time of a process, without its children. @units milliseconds; 0 for a process that has ended */
export const processorTimeMs = (pid: number): number => {
  const stat = read(`/proc/${pid}/stat`);
  // The name, in parentheses, may contain spaces. Fields 14 and 15 are the times in user and in system mode.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  return (ticks * 1_000) / TICKS_PER_SECOND;
};
