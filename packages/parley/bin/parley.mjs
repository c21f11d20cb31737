#!/usr/bin/env node
import { existsSync } from "node:fs";

// In the repository the bundles follow the sources; a published package carries them ready-made.
const builder = new URL("../../../scripts/build.mjs", import.meta.url);
if (existsSync(builder)) await (await import(builder.href)).build();
const { main } = await import("../dist/index.js");
// Ends at once, even if a library still holds a resource open.
process.exit(await main(process.argv.slice(2)));
