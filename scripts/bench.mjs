/** `npm run bench`: installs and builds missing parts, then runs bench/run.mjs with the given arguments. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root } from "./installed.mjs";

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
// Ctrl-C reaches the bench too, which ends what it started first.
process.on("SIGINT", () => undefined);
const { status } = spawnSync(process.execPath, [join(root, "bench", "run.mjs"), ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
