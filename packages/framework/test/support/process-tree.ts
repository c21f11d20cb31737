import { readdir, readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

interface ProcessState {
  readonly pid: number;
  readonly parent: number;
  /** The process has ended and its parent hasn't collected its exit status. */
  readonly isZombie: boolean;
}

/** Lists every process of the machine, read from `/proc`. */
export async function processesNow(): Promise<ProcessState[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")));
  return stats.flatMap((stat, index) => {
    const [state = "", parent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return stat === "" ? [] : [{ pid: Number(pids[index]), parent: Number(parent), isZombie: state === "Z" }];
  });
}

/** Returns the pids of a process and all of its descendants, the process itself first. */
export async function familyOf(pid: number): Promise<number[]> {
  const all = await processesNow();
  const family = [pid];
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member).map((one) => one.pid));
  return family;
}

/** Waits until none of the processes runs. Returns the pids that still run after the timeout. @units milliseconds */
export async function survivors(pids: readonly number[], milliseconds: number): Promise<number[]> {
  for (let waited = 0; ; waited += 50) {
    const alive = (await processesNow()).filter(({ pid, isZombie }) => pids.includes(pid) && !isZombie);
    if (alive.length === 0 || waited >= milliseconds) return alive.map(({ pid }) => pid);
    await setTimeout(50);
  }
}

/** Sends SIGKILL to each process. A process that has ended already, such as a child whose parent was killed first, needs none. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
}
