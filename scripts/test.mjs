/**
 * `npm test` and `npm run test:system`: install and build missing parts, run the tests of a tier, and print their cost and the counts.
 * `npm test` also checks types, lint and format, and compares the responses of its tests with the contract.
 */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { processorSeconds } from "../test/runner/processor-time.mjs";
import { describeBrowsers, describeHeadlessChromium } from "../test/engines/installed-engines.mjs";
import { exceededTotals } from "../test/runner/start-limits.mjs";
import { faultsOf, forgetAnswers, readAnswers } from "./answers.mjs";
import { build } from "./build.mjs";
import { ensureInstalled, root } from "./installed.mjs";

if (process.argv.includes("--help")) {
  console.log(`npm test [-- <jest arguments>]: types, lint, format, the tests of the service and the platform in one process, and the
comparison of their responses with the contract. With arguments: only the tests that they choose, of every tier.

npm run test:system: the tests of whole instances, browsers, processes and packages.

npm run campaigns: the tests that take longest.`);
  process.exit(0);
}
ensureInstalled();
/** The time and the processor time of the installation of packages are not those of the tests. */
const installed = { ms: performance.now(), processorSeconds: processorSeconds() };
await build();

const TMPFS = 0x01021994;
/** Free space that the tests need at once, with a margin. @units bytes */
const FREE_SPACE_MIN = 4 * 1024 ** 3;
/** Failed files are run again only up to this number: more failures are not caused by interference. */
const RERUN_FILES_MAX = 5;

/** A folder in memory with enough space from which programs can be executed, or undefined: databases are created there ten times as fast. */
const folderInMemory = () => {
  const memory = "/dev/shm";
  let folder;
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    if (type !== TMPFS || bavail * bsize < FREE_SPACE_MIN) return undefined;
    folder = mkdtempSync(join(memory, "parley-"));
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    if (spawnSync(program).status !== 0) throw new Error("no program can be run there");
    rmSync(program);
    // Some tests run as another user.
    chmodSync(folder, 0o1777);
    return folder;
  } catch {
    if (folder) rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
};

const isSystem = process.argv.includes("--system");
const chosen = process.argv.slice(2).filter((word) => word !== "--system");
// Tests that are chosen by name are run even if they belong to another tier.
if (chosen.length > 0) process.env.PARLEY_TEST_CAMPAIGN ??= "sampled";
if (isSystem) process.env.PARLEY_TEST_TIER = "system";
const hasChecks = chosen.length === 0 && !isSystem;
const memory = folderInMemory();
if (memory) process.env.TMPDIR = memory;
const scratch = mkdtempSync(join(tmpdir(), "parley-tests-"));
const report = join(scratch, "report.json");
const costs = join(scratch, "costs.jsonl");
process.env.PARLEY_TEST_COSTS = costs;
let isStopped = false;
// Continues after a signal, so that temporary files are removed.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => (isStopped = true));
const tool = (name, ...args) => [process.execPath, join(root, "node_modules", ...name.split("/")), ...args];
const checks = [
  // More threads double the CPU time.
  { title: "types", argv: tool("typescript-native/bin/tsc", "--noEmit", "--singleThreaded") },
  { title: "lint", argv: tool("oxlint/bin/oxlint") },
  { title: "lint of apps", argv: tool("eslint/bin/eslint.js") },
  { title: "format", argv: tool("oxfmt/bin/oxfmt", "--check") },
  { title: "unused code", argv: tool("knip/bin/knip.js", "--no-config-hints") },
  { title: "code that only tests use", argv: tool("knip/bin/knip.js", "--production", "--no-config-hints") },
];
const jestCommand = [
  process.execPath,
  join(root, "node_modules/jest/bin/jest.js"),
  // Open handles of a library must not delay the exit; all results are written by then.
  "--forceExit",
  // Jest's default on two processors is one worker. More workers than processors, because tests wait for the database and for the processes
  // that they start; those of the system tier wait longest.
  `--maxWorkers=${availableParallelism() + (isSystem ? 3 : 2)}`,
  "--json",
  `--outputFile=${report}`,
];

/** Runs a check. -> whether it succeeded, and its output */
const checked = async ({ argv: [command, ...words] }) => {
  const child = spawn(command, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { isGood: (await ended) === 0, output: stdout + stderr };
};

/** @shape browser: {name, version, path}, or with `missing`, the command that installs it */
const browserLine = ({ name, version, path, missing }) =>
  missing ? `${name} is missing: ${missing}` : `${name} ${version} (${path})`;
// `npm test` opens pages in the headless Chromium only.
const browsers =
  isSystem || chosen.length > 0 ? [describeHeadlessChromium(), ...describeBrowsers()] : [describeHeadlessChromium()];
console.log(`— browsers: ${[...new Set(browsers.map(browserLine))].join(", ")}`);

let failed = 0;
let passed = 0;
if (hasChecks) forgetAnswers();
/** Runs a check beside the tests, which leave a part of the processors unused, and prints its outcome when it ends. -> its title if it fails */
const runCheck = async (check) => {
  const { isGood, output } = await checked(check);
  process.stdout.write(`${output}— ${check.title}: ${isGood ? "passed" : "failed"}\n`);
  if (isGood) passed += 1;
  else failed += 1;
  return isGood ? [] : [check.title];
};
const running = hasChecks ? checks.map(runCheck) : [];
/** Runs tests. -> Jest's report of each file; undefined without a report */
const tested = async (...words) => {
  const [command, ...defaults] = jestCommand;
  rmSync(report, { force: true });
  const child = spawn(command, [...defaults, ...words], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  const status = await new Promise((resolve) => child.once("close", resolve));
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    return { status, files: testResults };
  } catch {
    return undefined;
  }
};
const countOf = ({ assertionResults }, outcome) => assertionResults.filter(({ status }) => status === outcome).length;
const hasFailed = ({ status }) => status === "failed";

const first = await tested(...chosen);
const failedFiles = first?.files.filter(hasFailed) ?? [];
// Runs failed files again without others, to distinguish defects from interference. Both count as failed.
const isRerun = !isStopped && chosen.length === 0 && failedFiles.length > 0 && failedFiles.length <= RERUN_FILES_MAX;
if (isRerun) console.log("— failed files again, one at a time");
const rerun = isRerun
  ? await tested("--maxWorkers=1", "--runTestsByPath", ...failedFiles.map(({ name }) => name))
  : undefined;
for (const file of first?.files ?? []) {
  passed += countOf(file, "passed");
  // A file that can't be loaded has no counted tests, but is a failure.
  failed += countOf(file, "failed") || (hasFailed(file) ? 1 : 0);
}
if (isStopped || !first || (first.status !== 0 && failedFiles.length === 0)) failed += 1;
const failedChecks = (await Promise.all(running)).flat();
/** @shape each file once, with the cost of its first run */
const costOfFiles = existsSync(costs)
  ? readFileSync(costs, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .slice(0, first?.files.length)
  : [];
// A server that a test has stopped may still write its last files.
rmSync(memory ?? scratch, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
if (hasChecks) {
  console.log("— documented responses");
  const faults = faultsOf(readAnswers(), await import("../packages/contract/dist/index.js"));
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) passed += 1;
  else failed += 1;
}
const started = { instances: 0, browsers: 0, processes: 0 };
for (const { starts } of costOfFiles) for (const kind of Object.keys(started)) started[kind] += starts[kind];
if (chosen.length === 0) {
  for (const excess of exceededTotals(isSystem ? "system" : "tests", started)) {
    console.error(excess);
    failed += 1;
  }
  console.log("— the ten files that took most processor time, with what they started");
  const most = costOfFiles.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10);
  for (const { path, seconds, starts } of most) {
    const words = Object.entries(starts).flatMap(([kind, count]) => (count > 0 ? [`${count} ${kind}`] : []));
    console.log(`${seconds.toFixed(1).padStart(6)} s  ${[path, ...words].join(", ")}`);
  }
}
const tests = first?.files.length ?? 0;
const command = isSystem ? "npm run test:system" : chosen.length > 0 ? "the chosen tests" : "npm test";
console.log(
  `— ${command}: ${Math.round((performance.now() - installed.ms) / 1_000)} s, ` +
    `${Math.round(processorSeconds() - installed.processorSeconds)} s of processor time, ` +
    `${tests} files; started ${started.instances} instances, ${started.browsers} browsers, ${started.processes} processes`,
);
for (const { name } of rerun?.files.filter((file) => !hasFailed(file)) ?? [])
  console.log(`flaky: ${relative(root, name)} failed with the others and passed alone`);
if (failedChecks.length > 0) console.log(`failed checks, see above: ${failedChecks.join(", ")}`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
