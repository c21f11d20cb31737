/** `npm test`: installs what is missing, then types, lint, every test and the law of answers, and a last line that counts them. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { faultsOf, forgetAnswers, readAnswers } from "./answers.mjs";
import { ensureInstalled, root } from "./installed.mjs";

if (process.argv.includes("--help")) {
  console.log(
    "npm test [-- <jest arguments>]: types, lint, every test and the law of answers. With arguments: only the tests that they choose.",
  );
  process.exit(0);
}
ensureInstalled();
const { build } = await import("./build.mjs");
await build();

const TMPFS = 0x01021994;
/** What the tests may need at once, many times over. @units bytes */
const ROOM = 4 * 1024 ** 3;
/** Files that are run once more: where more have failed, it is no matter of neighbours. */
const MOST_AGAIN = 5;

/** A folder in memory, where there is one that has room and from which programs may be run: a database is made there in a tenth of the time. */
const folderInMemory = () => {
  const memory = "/dev/shm";
  let folder;
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    if (type !== TMPFS || bavail * bsize < ROOM) return undefined;
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

const chosen = process.argv.slice(2);
const memory = folderInMemory();
if (memory) process.env.TMPDIR = memory;
const scratch = mkdtempSync(join(tmpdir(), "parley-tests-"));
const report = join(scratch, "report.json");
let isStopped = false;
// What was made is taken away again.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => (isStopped = true));
const tool = (name, ...args) => [process.execPath, join(root, "node_modules", ...name.split("/")), ...args];
const checks = [
  // With more threads it takes twice the processor time.
  { title: "types", argv: tool("typescript-native/bin/tsc", "--noEmit", "--singleThreaded") },
  { title: "lint", argv: tool("oxlint/bin/oxlint") },
  { title: "format", argv: tool("prettier/bin/prettier.cjs", "--check", "--log-level=warn", ".") },
];
const tests = [
  process.execPath,
  join(root, "node_modules/jest/bin/jest.js"),
  // A library's open handle must not hold up the end; what is counted is counted by then.
  "--forceExit",
  // Left to itself jest takes one process where there are two processors. One more than there are processors, since tests wait for what
  // they start.
  `--maxWorkers=${availableParallelism() + 1}`,
  "--json",
  `--outputFile=${report}`,
];

/** -> whether it ended well, with all that it said */
const checked = async ({ argv: [command, ...words] }) => {
  const child = spawn(command, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [out, told] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { isGood: (await ended) === 0, said: out + told };
};

let failed = 0;
let passed = 0;
forgetAnswers();
if (chosen.length === 0) {
  // Each keeps one processor busy: they run together, and are told in turn.
  const running = checks.map(checked);
  for (const [index, { title }] of checks.entries()) {
    console.log(`— ${title}`);
    const { isGood, said } = await running[index];
    process.stdout.write(said);
    if (isGood) passed += 1;
    else failed += 1;
  }
  console.log("— tests");
}
/** Runs tests. -> what jest reports of each file; undefined where it reports nothing */
const tested = (...words) => {
  const [command, ...given] = tests;
  rmSync(report, { force: true });
  const { status } = spawnSync(command, [...given, ...words], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    return { status, files: testResults };
  } catch {
    return undefined;
  }
};
const countOf = ({ assertionResults }, outcome) => assertionResults.filter(({ status }) => status === outcome).length;
const hasFailed = ({ status }) => status === "failed";

const first = tested(...chosen);
const broken = first?.files.filter(hasFailed) ?? [];
// Told apart for whoever looks for the cause: what fails, and what fails only beside the others. Both have failed.
const isToldApart = !isStopped && chosen.length === 0 && broken.length > 0 && broken.length <= MOST_AGAIN;
if (isToldApart) console.log("— once more, by themselves");
const again = isToldApart ? tested("--maxWorkers=1", "--runTestsByPath", ...broken.map(({ name }) => name)) : undefined;
for (const file of first?.files ?? []) {
  passed += countOf(file, "passed");
  // A file that can't even be loaded holds no counted test, and is a failure all the same.
  failed += countOf(file, "failed") || (hasFailed(file) ? 1 : 0);
}
if (isStopped || !first || (first.status !== 0 && broken.length === 0)) failed += 1;
rmSync(memory ?? scratch, { recursive: true, force: true });
if (chosen.length === 0) {
  console.log("— answers");
  const faults = faultsOf(readAnswers(), await import("../packages/contract/dist/index.js"));
  for (const fault of faults) console.error(fault);
  if (faults.length === 0) passed += 1;
  else failed += 1;
}
for (const { name } of again?.files.filter((file) => !hasFailed(file)) ?? [])
  console.log(`unsteady: ${relative(root, name)} failed beside the others and passed by itself`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
