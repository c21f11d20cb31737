/** `npm start`: installs what is missing, builds what is stale, and starts everything in this process. */
import { ensureInstalled } from "./installed.mjs";

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { main } = await import("../packages/parley/dist/index.js");
process.exitCode = await main(["start", ...process.argv.slice(2)]);
