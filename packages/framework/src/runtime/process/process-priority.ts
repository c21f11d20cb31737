import { writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { processTree, threadsOf } from "./process-usage.ts";

/**
 * Priorities when processor time is short; the service and the database have 0. A higher number gives way to a lower number. Customers and agents
 * wait for replies of the service; events in its log can wait until the platform has time.
 */
export const PLATFORM_PRIORITY = 5;
export const APP_PRIORITY = 7;
/** Priority of an app that uses more than its share. */
export const BUSY_APP_PRIORITY = 19;

/** Systems differ in what they permit; the share of processor time applies in any case. -> false when a later attempt may succeed */
const attempt = (change: () => void): boolean => {
  try {
    change();
    return true;
  } catch (error) {
    // The process has ended, or the system refuses. Without the rights of root, Linux accepts one change of a session's priority in 100 ms.
    return (error as NodeJS.ErrnoException).code !== "EAGAIN";
  }
};

/**
 * Linux may schedule each session as a group: between groups, the priority of the group counts and those of its processes don't. Each process
 * of an app has a session of its own.
 */
const setSessionPriority = (pid: number, priority: number): boolean =>
  attempt(() => writeFileSync(`/proc/${pid}/autogroup`, String(priority)));

const setThreads = (pids: readonly number[], priority: number): void => {
  for (const thread of pids.flatMap(threadsOf)) attempt(() => setPriority(thread, priority));
};

/** Lowers the priority of a process that was just started, with its threads and descendants: those that follow inherit it. */
export const lowerPriority = (pid: number): void => {
  attempt(() => setPriority(pid, APP_PRIORITY));
  setSessionPriority(pid, APP_PRIORITY);
  // A process may have started another process before its own priority was lowered: the next pass finds the other process.
  const lowered = new Set<number>();
  for (let found = [pid]; found.length > 0;) {
    setThreads(found, APP_PRIORITY);
    for (const each of found) lowered.add(each);
    found = [...processTree(pid).keys()].filter((each) => !lowered.has(each));
  }
};

/** Lowers the priority of this process. Call it in a process of the platform that is not the service's. */
export const lowerPlatformPriority = (): void => {
  attempt(() => setPriority(PLATFORM_PRIORITY));
};

/**
 * Changes the priority of running processes of one session with all their threads. Without the rights of root, that of threads can only be lowered for
 * good, so it stays. -> false when it has to be tried again
 */
export const changeProcessPriority = (pids: readonly number[], priority: number): boolean => {
  const [first] = pids;
  if (first === undefined) return true;
  const isChanged = setSessionPriority(first, priority);
  if (process.geteuid?.() === 0) setThreads(pids, priority);
  return isChanged;
};
