import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import type { StartConfined } from "./confined-program.ts";
import { SEARCH_PATH, spawnOptions, startByShell, visiblePaths, type LauncherOptions } from "./shell-launcher.ts";

/**
 * Makes a root of its own, leaves the old one by `chroot`, and gives up every capability, `chroot` among them.
 * Arguments: the path of `setpriv`; `ro` or `rw`, a path, and so on up to `--`; then the command.
 */
const UNSHARED = `
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

/** Libraries of a program, as the system's own loader finds them. */
const librariesOf = (program: string): string[] =>
  [...spawnSync("ldd", [program], { encoding: "utf8" }).stdout.matchAll(/(?:=> |^\s*)(\/\S+)/gm)].map(
    ([, path]) => path ?? "",
  );

/** Namespaces by `unshare`, `mount`, `chroot` and `setpriv` of util-linux and coreutils, as an ordinary user. */
export const unshareLauncher = ({ spawnAs }: LauncherOptions = {}): StartConfined => {
  const setpriv = SEARCH_PATH.split(":")
    .map((folder) => `${folder}/setpriv`)
    .find((path) => existsSync(path));
  const needed = setpriv === undefined ? [] : [setpriv, ...librariesOf(setpriv)];
  return (program) => {
    const { network = false } = program;
    const wrapper = [
      ...["unshare", "--user", "--map-root-user", "--mount", "--pid", "--ipc", "--uts", ...(network ? [] : ["--net"])],
      ...["--fork", "--kill-child", "--", "/bin/sh", "-c", UNSHARED, "sh", setpriv ?? ""],
      ...visiblePaths(program, needed).flat(),
      "--",
    ];
    return startByShell(program, spawnOptions(program, spawnAs && (program.user ?? spawnAs)), wrapper);
  };
};
