import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

const tryRead = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** Runs `ps`, for systems without /proc. */
const ps = (pid: number, column: string): string =>
  spawnSync("/bin/ps", ["-o", `${column}=`, "-p", String(pid)], { encoding: "utf8" }).stdout.trim();

const hasProc = statSync("/proc/self", { throwIfNoEntry: false }) !== undefined;

/** Start time of a process, which distinguishes it from a later process with the same pid; undefined if the process doesn't exist. */
export function startTimeOf(pid: number): string | undefined {
  if (!hasProc) return ps(pid, "lstart") || undefined;
  const stat = tryRead(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  // The program's name is in parentheses and can contain any character; state and start time (22nd field) follow it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z") return undefined;
  const boot = tryRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))?.trim() ?? "";
  return `${boot}:${fields[19]}`;
}

/** True if the process is running with this working directory, or was started for it. */
export function worksIn(pid: number, folder: string): boolean {
  if (startTimeOf(pid) === undefined) return false;
  if (!hasProc) return ps(pid, "command").includes(folder);
  const here = statSync(folder);
  const there = tryRead(() => statSync(`/proc/${pid}/cwd`));
  if (there) return there.ino === here.ino && there.dev === here.dev;
  // In some containers not even root may read another user's working directory; the command line is readable by all.
  const command = tryRead(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
  return command?.split("\0").includes(folder) ?? false;
}

/** True if a process with this pid exists, including zombies. */
export function isPidInUse(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
