/** Runs `npm ci` when `node_modules` is missing or older than the lockfile. This module has no dependencies. */
import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const stamp = join(root, "node_modules", ".package-lock.json");
const lockfile = join(root, "package-lock.json");

export function ensureInstalled() {
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= statSync(lockfile).mtimeMs) return;
  process.stderr.write("Installing what is missing (npm ci) …\n");
  // Standard output belongs to the caller: `npm start -- --json` prints one line there and nothing else.
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
  const run = spawnSync(npm[0], [...npm.slice(1), "ci", "--include=dev", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (run.status !== 0) {
    process.stderr.write("npm ci failed (see above). Next: check the network or the registry, then start again.\n");
    process.exit(1);
  }
}
