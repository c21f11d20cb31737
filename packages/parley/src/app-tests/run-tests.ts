import { join } from "node:path";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { RunConsents } from "@parley/framework";
import { CommandFailure } from "../environment/failure.ts";
import { inheritedEnvironment } from "../environment/config.ts";
import { runJson } from "../run/report.ts";
import { runApps } from "../run/run.ts";
import { stopSignal } from "../start/shutdown.ts";
import { suiteOf, type Suite, commandFile } from "./suite.ts";

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
  readonly log: (line: string) => void;
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
      // Jest writes its report to a file; the copy on standard output is discarded.
      stdio: ["inherit", json || file !== "npm" ? "ignore" : "inherit", "inherit"],
    });
    signal.addEventListener("abort", () => child.kill("SIGTERM"));
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(new CommandFailure(`The tests can't be started: ${file} (${error.code ?? error.message}).`)),
    );
    child.once("close", (status) => resolve(status ?? 1));
  });
