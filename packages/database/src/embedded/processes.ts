import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

const tryRead = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Asks the `ps` of systems without /proc. */
const ps = (pid: number, column: string): string =>
  spawnSync("/bin/ps", ["-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" }).stdout.trim();

const hasProc = statSync("/proc/self", { throwIfNoEntry: false }) !== undefined;

/** What tells a process from a later one of the same number; undefined when there is none. */
export function startOf(pid: number): string | undefined {
  if (!hasProc) return ps(pid, "lstart") || undefined;
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  // The program's name is in parentheses and may hold anything; the state and the start (22nd field) come behind it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z") return undefined;
  const boot = tryRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))?.trim() ?? "";
  return `${boot}:${fields[19]}`;
}

/** True when the process runs and works in this folder, or was started for it. */
export function worksIn(pid: number, folder: string): boolean {
  if (startOf(pid) === undefined) return false;
  if (!hasProc) return ps(pid, "command").includes(folder);
  const here = statSync(folder);
  const there = tryRead(() => statSync(`/proc/${pid}/cwd`));
  if (there) return there.ino === here.ino && there.dev === here.dev;
  // In some containers not even root may look at another user's process; its command line is open to all.
  const command = tryRead(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  return command?.split("\0").includes(folder) ?? false;
}

/** True when the number is taken, be it by a process that has ended and that nobody has asked about. */
export function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
