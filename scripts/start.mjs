/** `npm start`: installs and builds missing parts, in processes that end, then starts everything in this process. */
import { ensureInstalled } from "./installed.mjs";

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { main } = await import("../packages/parley/dist/index.js");
// Exits at once, because libraries may keep handles open.
process.exit(await main(["start", ...process.argv.slice(2)]));
