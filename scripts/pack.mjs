/** `npm run pack`: installs and builds missing parts, then packs the app in the root folder. */
import { ensureInstalled } from "./installed.mjs";

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { main } = await import("../packages/parley/dist/index.js");
process.exit(await main(["pack", ...process.argv.slice(2)]));
