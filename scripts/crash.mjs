/** `npm run crash`: installs and builds missing parts, then runs crash/run.mjs with the given arguments. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ensureInstalled, root } from "./installed.mjs";

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
// The child process handles Ctrl-C itself and ends after its report.
process.on("SIGINT", () => undefined);
const { status } = spawnSync(process.execPath, [join(root, "crash", "run.mjs"), ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
