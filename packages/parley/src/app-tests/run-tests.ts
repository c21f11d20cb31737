import { join } from "node:path";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { RunConsents } from "@parley/framework";
import { CommandFailure } from "../environment/failure.ts";
import { inheritedEnvironment } from "../environment/config.ts";
import { runJson } from "../run/report.ts";
import { runApps } from "../run/run.ts";
import { stopSignal } from "../start/stop-signal.ts";
import { suiteOf, type Suite } from "./suite.ts";
import { commandFile } from "./installed-files.ts";

interface TestRun {
  /** 0: everything passed. */
  readonly status: number;
  /** Absent where the app's own script ran, which counts in its own way. */
  readonly tests?: { readonly total: number; readonly passed: number; readonly failed: number };
}

interface TestRunOptions {
  readonly dir: string;
  /** For the test runner. */
  readonly more: readonly string[];
  readonly consents: RunConsents;
  /** Counts what the app's handlers run. */
  readonly coverage: boolean;
  /** Standard output is not the tests'. */
  readonly json: boolean;
  /** What the app's handlers say. */
  readonly log: (line: string) => void;
}

const counts = async (report: string | undefined): Promise<TestRun["tests"]> => {
  const text = report === undefined ? undefined : await readFile(report, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  type Report = { numTotalTests: number; numPassedTests: number; numFailedTests: number };
  const { numTotalTests: total, numPassedTests: passed, numFailedTests: failed } = JSON.parse(text) as Report;
  return { total, passed, failed };
};

/** Runs the tests of an app with a world of their own around them, which is gone at the end. @errors UsageFailure */
export async function runTests({ dir, more, consents, coverage, json, log }: TestRunOptions): Promise<TestRun> {
  const stop = stopSignal();
  const end = new AbortController();
  void stop.reached.then(() => end.abort());
  const world = await runApps({
    dirs: [dir],
    install: false,
    iparams: undefined,
    maps: new Map(),
    consents,
    still: true,
    ephemeral: true,
    coverage,
    json: true,
    stopped: end.signal,
    progress: () => undefined,
    log,
  });
  try {
    const [app] = world.apps;
    const folder = app?.folder ?? dir;
    const suite = await suiteOf(folder, more, json ? join(world.dataFolder, "tests.json") : undefined);
    const status = await ended(suite, folder, runJson(world), json, end.signal);
    const tests = await counts(suite.report);
    return { status, ...(tests ? { tests } : {}) };
  } finally {
    await world.close();
  }
}

const ended = ({ file, args, nodeOptions }: Suite, cwd: string, world: string, json: boolean, signal: AbortSignal) =>
  new Promise<number>((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: inheritedEnvironment({ PARLEY_WORLD: world, PARLEY_BIN: commandFile(), nodeOptions }),
      // Jest's own account of the run goes into a file; what it would print of it is nobody's to read.
      stdio: ["inherit", json || file !== "npm" ? "ignore" : "inherit", "inherit"],
    });
    signal.addEventListener("abort", () => child.kill("SIGTERM"));
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(new CommandFailure(`The tests can't be started: ${file} (${error.code ?? error.message}).`)),
    );
    child.once("close", (status) => resolve(status ?? 1));
  });
