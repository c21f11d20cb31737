import { spawn, type ChildProcess, type IOType, type SpawnOptions } from "node:child_process";
import { existsSync } from "node:fs";
import {
  dataLimitMb,
  type ConfinedProgram,
  type ResourceLimits,
  type StartConfined,
  type ProgramUser,
} from "./confined-program.ts";
import { nodeFiles, sourceOf } from "./node-files.ts";

/** Where the system's own programs are. */
export const SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Starts a command and waits for the lifeline to close, which it does even when the host is killed with -9: a program in an endless
 * loop would notice nothing by itself. Its arguments: `app` or `tool`, since the host notices the end of an app's process by its channel and
 * closes the lifeline, but not that of a tool; `program` or `wrapper`, the latter for a command that starts the program in turn.
 */
const SHELL = `
mode=$1 depth=$2; shift 2
ulimit -c 0
ulimit -d "$1" 2>/dev/null; ulimit -n "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; ulimit -f "$4" 2>/dev/null
shift 4
exec 9<&0
"$@" <&9 3<&- 9<&- &
child=$!
# What a wrapper started ends first, so that the wrapper can reap it; where that fails the wrapper ends, and with it what it started.
end() {
  if [ "$depth" = wrapper ]; then kill -9 $(cat /proc/$child/task/$child/children) && return; fi
  kill -9 $child
}
exec </dev/null >/dev/null 2>&1 4>&- 5>&- 9<&-
if [ "$mode" = tool ]; then
  { read -r _ <&3; end; } &
  watcher=$!
  wait $child; status=$?
  kill $watcher
  exit $status
fi
read -r _ <&3
end
wait $child
status=$?
# A wrapper that ended while it was starting the program leaves a process that waits for it for ever: the whole group ends.
[ "$depth" = wrapper ] && kill -9 0
exit $status
`;

/** What the shell's `ulimit` takes. @units kibibytes, files, seconds, blocks of 512 bytes */
const shellLimits = (limits: ResourceLimits): string[] =>
  [dataLimitMb(limits) * 1024, limits.openFiles, limits.processorSeconds, limits.fileMb * 2048].map(String);

export const spawnOptions = (
  { stdio = ["pipe", "pipe", "pipe"], environment = {} }: ConfinedProgram,
  user: ProgramUser | undefined,
  more: readonly IOType[] = [],
): SpawnOptions => {
  const [input = "pipe", output = "pipe", errors = "pipe", ...others] = stdio;
  return {
    cwd: "/",
    env: { PATH: SEARCH_PATH, ...environment },
    // A session of its own: Ctrl-C in the host's terminal is not for it, and one signal can end all of it.
    detached: true,
    stdio: [input, output, errors, "pipe", ...others, ...more],
    ...user,
  };
};

/** @shape wrapper: a command that starts Node with the program's arguments; Node itself when absent */
export const startByShell = (
  program: ConfinedProgram,
  options: SpawnOptions,
  wrapper?: readonly string[],
): ChildProcess => {
  const ends = [program.isTool ? "tool" : "app", wrapper ? "wrapper" : "program"];
  const command = [...(wrapper ?? []), process.execPath, ...program.args];
  return spawn("/bin/sh", ["-c", SHELL, "sh", ...ends, ...shellLimits(program.limits), ...command], options);
};

/** @shape spawnAs: the user that the launcher itself is started as, where that differs from the host's */
export interface LauncherOptions {
  readonly spawnAs?: ProgramUser | undefined;
}

/** Whether a path is seen already where a folder is seen: it lies there by its name, and really. */
const isWithin = (folder: string, path: string): boolean =>
  path.startsWith(`${folder}/`) && sourceOf(path) === sourceOf(folder) + path.slice(folder.length);

/** -> the paths that a program sees, Node's own among them; a folder before what lies in it, which is named only where it is another one */
export const visiblePaths = (
  { readOnly = [], writable = [] }: ConfinedProgram,
  more: readonly string[] = [],
): (readonly [mode: "ro" | "rw", path: string])[] => {
  const readable = [...new Set([...nodeFiles(), ...more, ...readOnly])].filter((path) => existsSync(path));
  return [
    ...readable
      .filter((path) => !readable.some((folder) => isWithin(folder, path)))
      .map((path) => ["ro", path] as const),
    ...writable.map((path) => ["rw", path] as const),
  ].sort(([, one], [, other]) => one.length - other.length);
};

/** No boundary but another user, where there is one. */
export const plainLauncher =
  ({ spawnAs }: LauncherOptions = {}): StartConfined =>
  (program) =>
    startByShell(program, spawnOptions(program, spawnAs && (program.user ?? spawnAs)));
