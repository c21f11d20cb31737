/** `npm run validate`: installs what is missing, builds what is stale, and looks at the app at the root. */
import { ensureInstalled } from "./installed.mjs";

ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { main } = await import("../packages/parley/dist/index.js");
process.exit(await main(["validate", ...process.argv.slice(2)]));
