/**
 * Stryker test runner for Concierge's tests. Runs in its own process, which loads packages once and reloads the modules under mutation for each run:
 * a plain Jest run takes seconds, and there are thousands of mutants.
 */
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { declareFactoryPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
} from "@stryker-mutator/api/test-runner";
import { testsIn } from "./tests.mjs";

/** Global object through which the instrumented code finds the active mutant. */
const stryker = (globalThis.__stryker__ ??= {});

const open = async () => {
  // Stryker works on a copy of the repository.
  const root = process.cwd();
  const { readModules, run } = await import(resolve(root, "test/runner/file.mjs"));
  readModules(["server/", "config/assets/"]);
  const { readConfig } = createRequire(resolve(root, "package.json"))("jest-config");
  const config = JSON.stringify({ rootDir: root, roots: ["<rootDir>/test"] });
  const { globalConfig, projectConfig } = await readConfig({ _: [], $0: "", config }, root);
  return async (path) => {
    stryker.currentTestId = path;
    const start = performance.now();
    const common = { id: path, name: path, fileName: path };
    try {
      const { testResults, testExecError } = await run({
        path: resolve(root, path),
        config: projectConfig,
        globalConfig,
      });
      const failed = testResults.find(({ status }) => status === "failed");
      const why = testExecError?.message ?? (failed && `${failed.fullName}: ${failed.failureMessages[0]}`);
      const timeSpentMs = performance.now() - start;
      return why === undefined
        ? { ...common, timeSpentMs, status: TestStatus.Success }
        : { ...common, timeSpentMs, status: TestStatus.Failed, failureMessage: why };
    } catch (error) {
      const failureMessage = error instanceof Error ? error.message : String(error);
      return { ...common, timeSpentMs: performance.now() - start, status: TestStatus.Failed, failureMessage };
    }
  };
};

const runner = () => {
  let test;
  return {
    capabilities: () => ({ reloadEnvironment: true }),
    init: async () => void (test = await open()),
    /** A test file counts as one test, because it takes a few milliseconds. */
    async dryRun({ coverageAnalysis }) {
      const tests = [];
      for (const path of testsIn(process.cwd())) tests.push(await test(path));
      return {
        status: DryRunStatus.Complete,
        tests,
        ...(coverageAnalysis !== "off" && { mutantCoverage: stryker.mutantCoverage }),
      };
    },
    async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
      Object.assign(stryker, {
        activeMutant: activeMutant.id,
        hitLimit,
        hitCount: hitLimit === undefined ? undefined : 0,
      });
      const tests = [];
      for (const path of testFilter ?? testsIn(process.cwd())) {
        tests.push(await test(path));
        if (!disableBail && tests.at(-1).status === TestStatus.Failed) break;
      }
      const endless = determineHitLimitReached(stryker.hitCount, hitLimit);
      return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests });
    },
  };
};

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, "concierge", runner)];
