/** `npm run mutation`: mutation tests of Concierge's rules. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled, root } from "./installed.mjs";

const SCORE_MIN = 80;
const RULES = "server/lib/**/*.ts";
const HELP = `npm run mutation [-- <files>]: changes Concierge's rules one by one (mutants), and checks whether a test fails. Runs only
tests that need no instance. Prints each file's score and the undetected mutants. Exit status 1 below ${SCORE_MIN} %. All rules take about ten
minutes.

  npm run mutation                              all rules: ${RULES}
  npm run mutation -- server/lib/menu.ts        one file
  npm run mutation -- --concurrency 1 …         in one process (two by default)

Files that none of these tests runs are listed but not counted: tests with an instance cover them, like the use cases in server/*.ts.`;

const words = process.argv.slice(2);
if (words.includes("--help")) {
  console.log(HELP);
  process.exit(0);
}
const concurrency = words.includes("--concurrency") ? words.splice(words.indexOf("--concurrency"), 2)[1] : "2";
const files = words.length > 0 ? words : [RULES];

ensureInstalled();
const { build } = await import("./build.mjs");
await build();

const home = join(root, "mutation");
const [stamp, lockfile] = [join(home, "node_modules/.package-lock.json"), join(home, "package-lock.json")];
if (!existsSync(stamp) || statSync(stamp).mtimeMs < statSync(lockfile).mtimeMs) {
  process.stderr.write("Installing Stryker (npm ci) …\n");
  const { status } = spawnSync("npm", ["ci", "--loglevel=error"], { cwd: home, stdio: ["ignore", 2, 2] });
  if (status !== 0) process.exit(1);
}
const report = join(home, "last.json");
rmSync(report, { force: true });
const stryker = join(home, "node_modules/@stryker-mutator/core/bin/stryker.js");
const config = "mutation/stryker.config.mjs";
spawnSync(
  process.execPath,
  [stryker, "run", config, "--mutate", files.join(","), "--concurrency", concurrency, "--logLevel", "warn"],
  { cwd: root, stdio: "inherit" },
);
if (!existsSync(report)) {
  console.error("Stryker failed. See the messages above.");
  process.exit(1);
}

const DETECTED_STATUSES = ["Killed", "Timeout"];
const COUNTED = [...DETECTED_STATUSES, "Survived", "NoCoverage"];
const lineOf = ({ mutatorName, location, replacement, status }, source) => {
  const { start, end } = location;
  const line = source.split("\n")[start.line - 1];
  const was = line.slice(start.column - 1, end.line === start.line ? end.column - 1 : undefined);
  const by = (replacement ?? "").replace(/\s+/g, " ").slice(0, 80);
  return `    ${start.line}:${start.column} ${mutatorName}${status === "NoCoverage" ? " (not run)" : ""}: ${was} → ${by}`;
};

const results = Object.entries(JSON.parse(readFileSync(report, "utf8")).files)
  .map(([path, { mutants, source }]) => {
    const counted = mutants.filter(({ status }) => COUNTED.includes(status));
    const missed = counted.filter(({ status }) => !DETECTED_STATUSES.includes(status));
    return { path, source, counted, missed, isRun: counted.some(({ status }) => status !== "NoCoverage") };
  })
  .filter(({ counted }) => counted.length > 0)
  .sort((one, other) => (one.path < other.path ? -1 : 1));

const scoreOf = (all, missed) => (100 * (all - missed)) / all;
const row = (path, all, missed) =>
  console.log(
    `${path.padEnd(36)} ${String(all - missed).padStart(5)} of ${String(all).padStart(5)}  ${scoreOf(all, missed).toFixed(1).padStart(5)} %`,
  );
const measured = results.filter(({ isRun }) => isRun);
for (const { path, source, counted, missed } of measured) {
  row(path, counted.length, missed.length);
  for (const mutant of missed) console.log(lineOf(mutant, source));
}
for (const { path, counted } of results.filter(({ isRun }) => !isRun))
  console.log(`${path.padEnd(36)} ${counted.length} mutants, which only tests with an instance run`);
const sum = (count) => measured.reduce((all, one) => all + count(one), 0);
const [all, missed] = [sum(({ counted }) => counted.length), sum(({ missed: some }) => some.length)];
if (all > 0) row("all that is counted", all, missed);
process.exitCode = all > 0 && scoreOf(all, missed) >= SCORE_MIN ? 0 : 1;
