import type { IOType } from "node:child_process";
import type { Duplex } from "node:stream";
import type { StartConfined } from "./confined-program.ts";
import { sourceOf } from "./node-files.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { spawnOptions, startByShell, visiblePaths, type LauncherOptions } from "./shell-launcher.ts";
import type { Architecture } from "./system-calls.ts";

/** Namespaces by bubblewrap, with a filter of system calls where the architecture is known. */
export const bubblewrapLauncher =
  (architecture: Architecture | undefined, { spawnAs }: LauncherOptions = {}): StartConfined =>
  (program) => {
    const { network = false, isTool = false } = program;
    const { environment = {}, stdio = ["pipe", "pipe", "pipe"] } = program;
    const descriptor = Math.max(stdio.length + 1, 5);
    const gap: IOType[] = Array.from({ length: descriptor - stdio.length - 1 }, () => "ignore");
    const wrapper = [
      ...["bwrap", "--unshare-all", ...(network ? ["--share-net"] : []), "--die-with-parent", "--cap-drop", "ALL"],
      ...visiblePaths(program).flatMap(([mode, path]) => [
        mode === "ro" ? "--ro-bind" : "--bind",
        sourceOf(path),
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
    if (architecture) filter?.end(seccompFilter(architecture, { network, isTool }), () => filter.destroy());
    return child;
  };
