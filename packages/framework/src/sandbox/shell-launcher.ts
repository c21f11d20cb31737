import { spawn, type ChildProcess, type IOType, type SpawnOptions } from "node:child_process";
import { existsSync } from "node:fs";
import {
  dataLimitMb,
  type ConfinedProgram,
  type ResourceLimits,
  type StartConfined,
  type ProgramUser,
  nodeFiles,
  realPathOf,
} from "./confined-program.ts";

/** The system's default search path. */
export const SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Starts a command and kills it when the lifeline closes, which also happens when the host is killed by SIGKILL: a program in an endless loop
 * would not notice that by itself. Arguments: `app` or `tool`, then `program` or `wrapper`, then the limits and the command. With `app` the shell
 * waits for the lifeline only, because the host notices the end of an app's process by its channel and closes the lifeline. With `tool` the shell
 * also waits for the process. `wrapper` marks a command that starts the program as its child.
 */
const SHELL_SCRIPT = `
mode=$1 depth=$2; shift 2
ulimit -c 0
ulimit -d "$1" 2>/dev/null; ulimit -n "$2" 2>/dev/null; ulimit -t "$3" 2>/dev/null; ulimit -f "$4" 2>/dev/null
shift 4
exec 9<&0
"$@" <&9 3<&- 9<&- &
child=$!
# Kills the wrapper's child first, so that the wrapper can reap it. If that fails, kills the wrapper, which ends its child too.
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
# A wrapper that is killed while it starts the program leaves a process that waits for it forever: the whole group is killed.
[ "$depth" = wrapper ] && kill -9 0
exit $status
`;

/** Arguments of the shell's `ulimit`. @units kibibytes, files, seconds, blocks of 512 bytes */
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
    // A separate session: Ctrl-C in the host's terminal does not reach it, and one signal ends the whole group.
    detached: true,
    stdio: [input, output, errors, "pipe", ...others, ...more],
    ...user,
  };
};

/** @shape wrapper: a command that starts Node with the program's arguments; Node itself is started if absent */
export const startByShell = (
  program: ConfinedProgram,
  options: SpawnOptions,
  wrapper?: readonly string[],
): ChildProcess => {
  const ends = [program.isTool ? "tool" : "app", wrapper ? "wrapper" : "program"];
  const command = [...(wrapper ?? []), process.execPath, ...program.args];
  return spawn("/bin/sh", ["-c", SHELL_SCRIPT, "sh", ...ends, ...shellLimits(program.limits), ...command], options);
};

/** @shape spawnAs: the user of the launcher itself, if it differs from the host's */
export interface LauncherOptions {
  readonly spawnAs?: ProgramUser | undefined;
}

/** Whether the folder already makes the path visible: the path is below the folder both by name and by its real location. */
const isVisibleThrough = (folder: string, path: string): boolean =>
  path.startsWith(`${folder}/`) && realPathOf(path) === realPathOf(folder) + path.slice(folder.length);

/** -> the paths that are visible to a program, including Node's. A folder precedes its contents, which are listed only if they are links elsewhere. */
export const visiblePaths = (
  { readOnly = [], writable = [] }: ConfinedProgram,
  more: readonly string[] = [],
): (readonly [mode: "ro" | "rw", path: string])[] => {
  const readable = [...new Set([...nodeFiles(), ...more, ...readOnly])].filter((path) => existsSync(path));
  return [
    ...readable
      .filter((path) => !readable.some((folder) => isVisibleThrough(folder, path)))
      .map((path) => ["ro", path] as const),
    ...writable.map((path) => ["rw", path] as const),
  ].sort(([, one], [, other]) => one.length - other.length);
};

/** No isolation except a different user, where a different user is available. */
export const plainLauncher =
  ({ spawnAs }: LauncherOptions = {}): StartConfined =>
  (program) =>
    startByShell(program, spawnOptions(program, spawnAs && (program.user ?? spawnAs)));
