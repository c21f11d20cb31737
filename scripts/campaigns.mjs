/** `npm run campaigns`: runs the test files whose long tables `npm test` samples, with every row of these tables. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./installed.mjs";

if (process.argv.includes("--help")) {
  console.log(
    "npm run campaigns [-- <jest arguments>]: every row of the tables of attacks, isolations and viewports of which npm test runs a sample.",
  );
  process.exit(0);
}

const FOLDERS = [
  "test",
  "packages/framework/test",
  "packages/parley/test",
  "packages/service/test",
  "packages/database/test",
];
const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(root, folder, name))
    .filter((path) => path.endsWith(".test.ts") && readFileSync(path, "utf8").includes("/sample-rows.ts")),
);
process.env.PARLEY_TEST_CAMPAIGN = "1";
process.argv.push("--runTestsByPath", ...files);
await import("./test.mjs");
