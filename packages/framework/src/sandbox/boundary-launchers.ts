import { spawn, spawnSync, type IOType } from "node:child_process";
import { confinePlan, type PlanKind } from "./confine-plan.ts";
import { CONFINED_HOST_NAME, realPathOf, type StartConfined, type ProgramUser } from "./confined-program.ts";
import { spawnOptions, type LauncherOptions, SEARCH_PATH, startByShell, visiblePaths } from "./shell-launcher.ts";
import type { Architecture } from "./system-calls.ts";
import { existsSync } from "node:fs";
import type { Duplex } from "node:stream";
import { seccompFilter } from "./seccomp-filter.ts";

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
 * Builds a new root file system, enters it by `chroot`, and drops every capability, including the capability for `chroot`.
 * Arguments: the path of `setpriv`; pairs of `ro` or `rw` and a path, up to `--`; then the command.
 */
const UNSHARED_SCRIPT = `
set -e
root=/sys setpriv=$1; shift
echo ${CONFINED_HOST_NAME} > /proc/sys/kernel/hostname
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
      ...[
        "bwrap",
        "--unshare-all",
        "--hostname",
        CONFINED_HOST_NAME,
        ...(hasNetwork ? ["--share-net"] : []),
        "--die-with-parent",
        "--cap-drop",
        "ALL",
      ],
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
