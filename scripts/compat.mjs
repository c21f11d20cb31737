/** `npm run compat`: installs and builds missing parts, then runs test/compatibility/run.mjs with the given arguments. */
import { ensureInstalled } from "./installed.mjs";

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
// In this process: a signal that is sent to it alone reaches what the run has started.
await import("../test/compatibility/run.mjs");
