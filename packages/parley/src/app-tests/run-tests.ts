import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunConsents } from "@parley/framework";
import { harnessFiles } from "@parley/framework/authoring";
import type { Log } from "@parley/telemetry";
import { inheritedEnvironment } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { runJson } from "../run/report.ts";
import { runApps } from "../run/run.ts";
import { stopSignal } from "../start/shutdown.ts";

/** Resolves a path of this package from the source (`src/app-tests/`) and from the bundle (`dist/`), which is one level higher. */
const packagePath = (path: string): string =>
  [`../${path}`, `../../${path}`]
    .map((each) => fileURLToPath(new URL(each, import.meta.url)))
    .find((each) => existsSync(each)) ?? path;

/** Script that starts the `parley` command. */
const commandFile = (): string => packagePath("bin/parley.mjs");
const parleyRequire = createRequire(import.meta.url);
const resolvedFrom = (resolve: (name: string) => string, name: string): string | undefined => {
  try {
    return resolve(name);
  } catch {
    return undefined;
  }
};

/** Whether a package can be resolved from the app's folder. */
const isResolvable = (folder: string, name: string): boolean =>
  resolvedFrom(createRequire(join(folder, "package.json")).resolve, name) !== undefined;

/** The app's own installation of Jest, or the Jest that Parley depends on. */
const jestFile = (folder: string): string => {
  const appRequire = createRequire(join(folder, "package.json"));
  const found = resolvedFrom(appRequire.resolve, "jest/package.json") ?? parleyRequire.resolve("jest/package.json");
  return join(dirname(found), "bin", "jest.js");
};

/** The process that runs an app's tests. */
interface Suite {
  readonly file: string;
  readonly args: readonly string[];
  /** Value that is appended to NODE_OPTIONS of the process. */
  readonly nodeOptions: string;
  /** File that the test runner writes its JSON report to; absent when it writes no report. */
  readonly report?: string;
}

/** The placeholder script that `npm init` writes into package.json. */
const PLACEHOLDER_SCRIPT = /no test specified/;
/** A script that calls `parley test` would call itself without end. */
const CALLS_PARLEY_TEST = /\bparley(?:\.mjs)?\s+test\b/;

const HARNESS = "@parley/framework/testing";

/** Timeout of one test case; a handler may run for 20 s. @units milliseconds */
const TEST_TIMEOUT_MS = 30_000;

const ownScript = async (folder: string): Promise<string | undefined> => {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
  let json: { readonly scripts?: { readonly test?: unknown } };
  try {
    json = JSON.parse(text) as typeof json;
  } catch {
    return undefined;
  }
  const script = json.scripts?.test;
  return typeof script === "string" && !PLACEHOLDER_SCRIPT.test(script) && !CALLS_PARLEY_TEST.test(script)
    ? script
    : undefined;
};

const jestConfig = (folder: string) => ({
  rootDir: folder,
  testEnvironment: "node",
  testMatch: ["<rootDir>/test/**/*.test.{js,cjs,mjs,ts,mts}"],
  extensionsToTreatAsEsm: [".ts", ".mts"],
  transform: { "\\.[mc]?tsx?$": harnessFiles.transform },
  moduleNameMapper: isResolvable(folder, HARNESS) ? {} : { [`^${HARNESS}$`]: harnessFiles.testing },
  testTimeout: TEST_TIMEOUT_MS,
});

/** The test script of the app's package.json, or Jest on the files of `test/`, run serially. */
async function suiteOf(folder: string, extraArgs: readonly string[], report: string | undefined): Promise<Suite> {
  if ((await ownScript(folder)) !== undefined)
    return {
      file: "npm",
      args: ["test", "--silent", ...(extraArgs.length > 0 ? ["--", ...extraArgs] : [])],
      nodeOptions: "",
    };
  const reportArgs = report === undefined ? [] : ["--json", `--outputFile=${report}`];
  const args = ["--config", JSON.stringify(jestConfig(folder)), "--runInBand", ...reportArgs, ...extraArgs];
  return {
    file: process.execPath,
    args: [jestFile(folder), ...args],
    nodeOptions: "--experimental-vm-modules --no-warnings",
    ...(report === undefined ? {} : { report }),
  };
}

interface TestRun {
  /** Exit status of the test runner; 0: all tests passed. */
  readonly status: number;
  /** Absent when the app's own test script ran, which has no common report format. */
  readonly tests?: { readonly total: number; readonly passed: number; readonly failed: number };
}

interface TestRunOptions {
  readonly dir: string;
  /** Arguments that are passed on to the test runner. */
  readonly extraArgs: readonly string[];
  readonly consents: RunConsents;
  /** Measures the coverage of the app's handlers. */
  readonly coverage: boolean;
  /** Keeps the test runner's output away from standard output, which carries the JSON line. */
  readonly json: boolean;
  /** Receives the log lines of the app's handlers. */
  readonly log: Log;
}

const testCounts = async (report: string | undefined): Promise<TestRun["tests"]> => {
  const text = report === undefined ? undefined : await readFile(report, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  type Report = { numTotalTests: number; numPassedTests: number; numFailedTests: number };
  const { numTotalTests: total, numPassedTests: passed, numFailedTests: failed } = JSON.parse(text) as Report;
  return { total, passed, failed };
};

/** Runs the tests of an app against a temporary instance, which is removed at the end. @errors CommandFailure */
export async function runTests({ dir, extraArgs, consents, coverage, json, log }: TestRunOptions): Promise<TestRun> {
  const stop = stopSignal();
  const end = new AbortController();
  void stop.reached.then(() => end.abort());
  const running = await runApps({
    dirs: [dir],
    install: false,
    iparams: undefined,
    maps: new Map(),
    consents,
    isDeterministic: true,
    isEphemeral: true,
    isCoverageMeasured: coverage,
    json: true,
    stopped: end.signal,
    progress: () => undefined,
    log,
  });
  try {
    const [app] = running.apps;
    const folder = app?.folder ?? dir;
    const suite = await suiteOf(folder, extraArgs, json ? join(running.dataFolder, "tests.json") : undefined);
    const status = await runSuite(suite, folder, runJson(running), json, end.signal);
    const tests = await testCounts(suite.report);
    return { status, ...(tests ? { tests } : {}) };
  } finally {
    await running.close();
  }
}

const runSuite = (
  { file, args, nodeOptions }: Suite,
  cwd: string,
  runJsonText: string,
  json: boolean,
  signal: AbortSignal,
) =>
  new Promise<number>((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: inheritedEnvironment({ PARLEY_WORLD: runJsonText, PARLEY_BIN: commandFile(), nodeOptions }),
      // Standard output belongs to the JSON line. Output of the tests themselves goes beside the output of the test runner.
      stdio: ["inherit", json ? 2 : "inherit", "inherit"],
    });
    signal.addEventListener("abort", () => child.kill("SIGTERM"));
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(new CommandFailure(`The tests can't be started: ${file} (${error.code ?? error.message}).`)),
    );
    child.once("close", (status) => resolve(status ?? 1));
  });
