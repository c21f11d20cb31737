/** `npm run campaigns`: runs the tests that `npm test` leaves out because of their duration, and those of which it runs a sample. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./installed.mjs";

if (process.argv.includes("--help")) {
  console.log(`npm run campaigns [-- [--complete] [<pattern> …]]: the tests that npm test leaves out because of their duration: whole
starts, killed processes, attack families, long tables.

  npm run campaigns                     every campaign, with a sample of its longest tables
  npm run campaigns -- --complete       every row of every table
  npm run campaigns -- boundary         only the files whose path contains the word
  npm run campaigns -- --shard=1/2      the first half of the files; other options of Jest work too`);
  process.exit(0);
}

const isComplete = process.argv.includes("--complete");
const options = process.argv.slice(2).filter((argument) => argument.startsWith("--") && argument !== "--complete");
const patterns = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/test`);
const files = ["test", ...packages].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith(".test.ts"))
    .filter(
      (path) => path.endsWith(".campaign.test.ts") || /\/campaign\.ts"/.test(readFileSync(join(root, path), "utf8")),
    )
    .filter((path) => patterns.length === 0 || patterns.some((pattern) => path.includes(pattern))),
);
if (files.length === 0) {
  console.error(`No campaign's path contains ${patterns.join(" or ")}. Run it without a pattern to see all of them.`);
  process.exit(1);
}
process.env.PARLEY_TEST_CAMPAIGN = isComplete ? "complete" : "sampled";
process.argv.splice(2, Infinity, ...options, "--runTestsByPath", ...files);
await import("./test.mjs");
