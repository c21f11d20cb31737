import { existsSync } from "node:fs";
import type { StartConfined } from "./confined-program.ts";
import { sourceOf } from "./node-files.ts";
import { spawnOptions, startByShell } from "./shell-launcher.ts";

/** The sandbox of macOS: everything is denied but reading what Node and the program need. */
export const sandboxExecLauncher = (): StartConfined => (program) => {
  const { readOnly = [], writable = [], listed = [], network = false, isTool = false } = program;
  const path = (name: string) => `(subpath ${JSON.stringify(sourceOf(name))})`;
  const there = [process.execPath, ...readOnly].filter((name) => existsSync(name));
  const profile = [
    "(version 1)",
    "(deny default)",
    "(allow sysctl-read)",
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    `(allow process-exec ${path(process.execPath)}${isTool ? ` ${there.map(path).join(" ")}` : ""})`,
    ...(isTool ? ["(allow process-fork)"] : []),
    "(allow file-read-metadata)",
    `(allow file-read* (literal "/") (subpath "/usr/lib") (subpath "/System/Library") (subpath "/System/Volumes/Preboot/Cryptexes") (literal "/dev/null") (literal "/dev/urandom") ${there.map(path).join(" ")})`,
    ...listed.map((name) => `(allow file-read-data (literal ${JSON.stringify(sourceOf(name))}))`),
    ...writable.map((name) => `(allow file-read* file-write* ${path(name)})`),
    ...(network ? ["(allow network-outbound)", "(allow system-socket)"] : []),
  ].join("\n");
  return startByShell(program, spawnOptions(program, undefined), ["/usr/bin/sandbox-exec", "-p", profile]);
};
