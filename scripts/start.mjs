/** `npm start`: installs what is missing, builds what is stale, and starts everything in this process. */
import { ensureInstalled } from "./installed.mjs";

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { main } = await import("../packages/parley/dist/index.js");
// Ends at once, whatever a library still holds open.
process.exit(await main(["start", ...process.argv.slice(2)]));
