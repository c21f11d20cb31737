import { spawn, spawnSync, type IOType, type ChildProcess, type SpawnOptions } from "node:child_process";
import { confinePlan, type PlanKind } from "./confine-plan.ts";
import {
  type StartConfined,
  type ProgramUser,
  realPathOf,
  dataLimitMb,
  type ConfinedProgram,
  type ResourceLimits,
  nodeFiles,
} from "./confined-program.ts";
import type { Architecture } from "./system-calls.ts";
import { existsSync } from "node:fs";
import type { Duplex } from "node:stream";
import { seccompFilter } from "./seccomp-filter.ts";

/** The system's default search path. */
const SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

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

const spawnOptions = (
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
const startByShell = (program: ConfinedProgram, options: SpawnOptions, wrapper?: readonly string[]): ChildProcess => {
  const ends = [program.isTool ? "tool" : "app", wrapper ? "wrapper" : "program"];
  const command = [...(wrapper ?? []), process.execPath, ...program.args];
  return spawn("/bin/sh", ["-c", SHELL_SCRIPT, "sh", ...ends, ...shellLimits(program.limits), ...command], options);
};

/** @shape spawnAs: the user of the launcher itself, if it differs from the host's */
interface LauncherOptions {
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

/** No isolation except a different user, if there is one. */
export const plainLauncher =
  ({ spawnAs }: LauncherOptions = {}): StartConfined =>
  (program) =>
    startByShell(program, spawnOptions(program, spawnAs && (program.user ?? spawnAs)));

/** Launcher that creates namespaces or applies Landlock by system calls from Perl. @shape runAs: the user to which a launcher running as root finally switches */
export const perlLauncher =
  (
    kind: PlanKind,
    script: string,
    architecture: Architecture,
    { spawnAs, runAs }: LauncherOptions & { readonly runAs?: ProgramUser | undefined } = {},
  ): StartConfined =>
  (program) => {
    const plan = confinePlan(kind, program, { architecture, user: runAs && (program.user ?? runAs) });
    const options = spawnOptions(program, spawnAs && (program.user ?? spawnAs));
    return spawn("perl", ["-e", script, plan, process.execPath, ...program.args], options);
  };

/**
 * Builds a new root file system, enters it by `chroot`, and drops every capability, including the one for `chroot`.
 * Arguments: the path of `setpriv`; pairs of `ro` or `rw` and a path, up to `--`; then the command.
 */
const UNSHARED_SCRIPT = `
set -e
root=/sys setpriv=$1; shift
mount -t tmpfs -o size=4m,mode=755 none "$root"
while [ "$1" != -- ]; do
  if [ -d "$2" ]; then mkdir -p "$root$2"; else mkdir -p "$root$(dirname "$2")"; : > "$root$2"; fi
  mount --rbind -o "$1,nosuid,nodev" "$(readlink -f "$2")" "$root$2"
  shift 2
done
shift
mount -o remount,bind,ro none "$root"
exec chroot "$root" "$setpriv" --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
`;

/** Shared libraries of a program, as resolved by the system's loader. */
const librariesOf = (program: string): string[] =>
  [...spawnSync("ldd", [program], { encoding: "utf8" }).stdout.matchAll(/(?:=> |^\s*)(\/\S+)/gm)].map(
    ([, path]) => path ?? "",
  );

/** Launcher that creates namespaces with `unshare`, `mount`, `chroot` and `setpriv` (util-linux and coreutils), as an unprivileged user. */
export const unshareLauncher = ({ spawnAs }: LauncherOptions = {}): StartConfined => {
  const setpriv = SEARCH_PATH.split(":")
    .map((folder) => `${folder}/setpriv`)
    .find((path) => existsSync(path));
  const needed = setpriv === undefined ? [] : [setpriv, ...librariesOf(setpriv)];
  return (program) => {
    const { hasNetwork = false } = program;
    const wrapper = [
      ...[
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "--pid",
        "--ipc",
        "--uts",
        ...(hasNetwork ? [] : ["--net"]),
      ],
      ...["--fork", "--kill-child", "--", "/bin/sh", "-c", UNSHARED_SCRIPT, "sh", setpriv ?? ""],
      ...visiblePaths(program, needed).flat(),
      "--",
    ];
    return startByShell(program, spawnOptions(program, spawnAs && (program.user ?? spawnAs)), wrapper);
  };
};

/** Launcher for the macOS sandbox: denies everything except reading the files that Node and the program need. */
export const sandboxExecLauncher = (): StartConfined => (program) => {
  const { readOnly = [], writable = [], listed = [], hasNetwork = false, isTool = false } = program;
  const path = (name: string) => `(subpath ${JSON.stringify(realPathOf(name))})`;
  const existing = [process.execPath, ...readOnly].filter((name) => existsSync(name));
  const profile = [
    "(version 1)",
    "(deny default)",
    "(allow sysctl-read)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    `(allow process-exec ${path(process.execPath)}${isTool ? ` ${existing.map(path).join(" ")}` : ""})`,
    ...(isTool ? ["(allow process-fork)"] : []),
    "(allow file-read-metadata)",
    `(allow file-read* (literal "/") (subpath "/usr/lib") (subpath "/System/Library") (subpath "/System/Volumes/Preboot/Cryptexes") (literal "/dev/null") (literal "/dev/urandom") ${existing.map(path).join(" ")})`,
    ...listed.map((name) => `(allow file-read-data (literal ${JSON.stringify(realPathOf(name))}))`),
    ...writable.map((name) => `(allow file-read* file-write* ${path(name)})`),
    ...(hasNetwork ? ["(allow network-outbound)", "(allow system-socket)"] : []),
  ].join("\n");
  return startByShell(program, spawnOptions(program, undefined), ["/usr/bin/sandbox-exec", "-p", profile]);
};

/** Launcher that creates namespaces with bubblewrap, with a seccomp filter on known architectures. */
export const bubblewrapLauncher =
  (architecture: Architecture | undefined, { spawnAs }: LauncherOptions = {}): StartConfined =>
  (program) => {
    const { hasNetwork = false, isTool = false } = program;
    const { environment = {}, stdio = ["pipe", "pipe", "pipe"] } = program;
    const descriptor = Math.max(stdio.length + 1, 5);
    const gap: IOType[] = Array.from({ length: descriptor - stdio.length - 1 }, () => "ignore");
    const wrapper = [
      ...["bwrap", "--unshare-all", ...(hasNetwork ? ["--share-net"] : []), "--die-with-parent", "--cap-drop", "ALL"],
      ...visiblePaths(program).flatMap(([mode, path]) => [
        mode === "ro" ? "--ro-bind" : "--bind",
        realPathOf(path),
        path,
      ]),
      ...["--remount-ro", "/", "--chdir", "/", "--clearenv"],
      ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
      ...(architecture ? ["--seccomp", String(descriptor)] : []),
      "--",
    ];
    const options = spawnOptions(program, spawnAs && (program.user ?? spawnAs), architecture ? [...gap, "pipe"] : []);
    const child = startByShell(program, options, wrapper);
    const filter = child.stdio[descriptor] as Duplex | null | undefined;
    filter?.on("error", () => undefined);
    if (architecture) filter?.end(seccompFilter(architecture, { hasNetwork, isTool }), () => filter.destroy());
    return child;
  };
