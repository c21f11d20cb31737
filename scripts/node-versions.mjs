/** `npm run node-versions`: runs the tests with several versions of Node. */
import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { ensureInstalled, root } from "./installed.mjs";
import { installVersion, lowestVersion, npmProgram, resolveVersions } from "./node-versions/binaries.mjs";

const HELP = `npm run node-versions [-- [<version> …] [options] [-- <jest patterns>]]: runs npm test with several versions of Node. They are
installed from the npm registry into node_modules/.cache/node-versions. Exit status 1 means that tests failed or did not run.

  npm run node-versions                        the lowest supported version and the newest 20, 22 and 24
  npm run node-versions -- 22 24.1.0           the newest 22, and 24.1.0
  npm run node-versions -- 24 -- boundary      only the test files whose path contains the word
  npm run node-versions -- --campaigns         npm run campaigns too
  npm run node-versions -- --only-install      installs the versions and prints the paths of their executables
  npm run node-versions -- --json              prints one line: {"versions": [{"version", "node", "passed", "failed", "seconds", "log"}]}`;

const MAJORS = ["20", "22", "24"];
/** Interval of progress lines where they can't be overwritten. @units milliseconds */
const PROGRESS_INTERVAL_MS = 30_000;

const report = (line) => process.stderr.write(`${line}\n`);
function fail(text) {
  report(`node-versions: ${text}`);
  process.exit(1);
}
const words = process.argv.slice(2);
const end = words.indexOf("--");
const patterns = end === -1 ? [] : words.slice(end + 1);
function options() {
  try {
    return parseArgs({
      args: end === -1 ? words : words.slice(0, end),
      options: {
        campaigns: { type: "boolean" },
        "only-install": { type: "boolean" },
        json: { type: "boolean" },
        help: { type: "boolean" },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return fail(`${error.message}. Next: npm run node-versions -- --help`);
  }
}
const { values, positionals } = options();
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const malformed = positionals.find((version) => !/^\d+(\.\d+){0,2}$/.test(version));
if (malformed !== undefined)
  fail(`${malformed} is not a version such as 22 or 22.4.1. Next: npm run node-versions -- --help`);

/** Shows the state of a run: one line that is overwritten on a terminal, else a line from time to time. */
function progress(version) {
  const started = performance.now();
  let [files, failedFiles, shown] = [0, 0, -Infinity];
  const seconds = () => Math.round((performance.now() - started) / 1000);
  const show = () => {
    const text = `Node ${version}: ${files} test files, ${failedFiles} of them failed, ${seconds()} s`;
    if (process.stderr.isTTY) process.stderr.write(`\r${text}`);
    else if (performance.now() - shown >= PROGRESS_INTERVAL_MS) {
      report(text);
      shown = performance.now();
    }
  };
  const timer = setInterval(show, 1000);
  return {
    seconds,
    line(text) {
      const [, outcome] = /^(PASS|FAIL) /.exec(text) ?? [];
      if (outcome === undefined) return;
      files += 1;
      if (outcome === "FAIL") failedFiles += 1;
    },
    end() {
      clearInterval(timer);
      if (process.stderr.isTTY) process.stderr.write("\n");
    },
  };
}

/** Runs a command of npm with this Node, which child processes that look for `node` find too. -> counts; undefined if it printed no counts */
async function runNpm(node, command, { log, onLine }) {
  const { PARLEY_TEST_CAMPAIGN: _campaign, ...env } = process.env;
  const child = spawn(node, [npmProgram(), ...command], {
    cwd: root,
    env: { ...env, PATH: [dirname(node), env.PATH].join(delimiter) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let counts;
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      log.write(`${line}\n`);
      onLine(line);
      const [, passed, failed] = /^(\d+) passed, (\d+) failed$/.exec(line) ?? [];
      if (passed !== undefined) counts = { passed: Number(passed), failed: Number(failed) };
    });
  const status = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  // A run that ends before its last line has failed.
  if (counts === undefined) return { passed: 0, failed: 1 };
  return status === 0 ? counts : { ...counts, failed: Math.max(counts.failed, 1) };
}

async function testVersion(version, node) {
  const logPath = join(dirname(dirname(dirname(dirname(node)))), "test.log");
  const log = createWriteStream(logPath);
  const shown = progress(version);
  const commands = [["test", ...(patterns.length > 0 ? ["--", ...patterns] : [])]];
  if (values.campaigns) commands.push(["run", "campaigns", ...(patterns.length > 0 ? ["--", ...patterns] : [])]);
  const total = { passed: 0, failed: 0 };
  for (const command of commands) {
    const { passed, failed } = await runNpm(node, command, { log, onLine: shown.line });
    total.passed += passed;
    total.failed += failed;
  }
  const seconds = shown.seconds();
  shown.end();
  await new Promise((resolve) => log.end(resolve));
  return { version, node, ...total, seconds, log: relative(root, logPath) };
}

ensureInstalled();
const results = [];
try {
  const versions = resolveVersions(positionals.length > 0 ? positionals : [lowestVersion(), ...MAJORS]);
  for (const version of versions) {
    report(`Node ${version}: installing, if it is not there …`);
    const node = installVersion(version);
    results.push(values["only-install"] ? { version, node } : await testVersion(version, node));
  }
} catch (error) {
  fail(error.message);
}
if (values.json) console.log(JSON.stringify({ versions: results }));
else if (values["only-install"]) for (const { version, node } of results) console.log(`${version}  ${node}`);
else {
  const columns = [["version", "passed", "failed", "seconds", "log"]];
  for (const { version, passed, failed, seconds, log } of results)
    columns.push([version, passed, failed, seconds, log].map(String));
  const widths = columns[0].map((_, index) => Math.max(...columns.map((row) => row[index].length)));
  for (const row of columns)
    console.log(
      row
        .map((cell, index) => cell.padEnd(widths[index]))
        .join("  ")
        .trimEnd(),
    );
}
process.exitCode = results.some(({ failed }) => failed > 0) ? 1 : 0;
