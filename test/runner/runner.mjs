/**
 * Runs test files in processes that load the product's modules once. Jest's own runner loads every module again for each file, which took
 * half of the processor time. Modules below a `test/` folder are still loaded for each file (see hooks.mjs).
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { exceededLimits, longestFirst } from "./start-limits.mjs";

const WORKER = fileURLToPath(new URL("worker.mjs", import.meta.url));
/** A process that uses more memory than this after a file is replaced. @units bytes */
const WORKER_MEMORY_MAX = 1_600 * 1024 ** 2;

/** Adds a failed test to the result of a file that starts more than its tier permits. */
const judgeStarts = (result, path, starts) => {
  const excesses = exceededLimits(path, starts);
  if (excesses.length === 0) return result;
  const title = "starts no more instances, browsers and processes than its tier permits";
  const text = `${path}: ${excesses.join("; ")}. Limits and reasons: test/runner/start-limits.mjs`;
  const failure = { ancestorTitles: [], fullName: title, title, status: "failed", failureMessages: [text] };
  return {
    ...result,
    failureMessage: [result.failureMessage, `  ● ${text}\n`].filter(Boolean).join("\n"),
    numFailingTests: result.numFailingTests + 1,
    testResults: [
      ...result.testResults,
      { ...failure, duration: 0, failureDetails: [], invocations: 1, location: null, numPassingAsserts: 0 },
    ],
  };
};

/** Starts a process that runs files sequentially. */
async function open() {
  const child = fork(WORKER, [], {
    // A larger space for young objects: collections took a seventh of the processor time.
    execArgv: ["--conditions=parley-source", "--enable-source-maps", "--max-semi-space-size=64"],
    serialization: "advanced",
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ran = [];
  const gone = once(child, "exit").then(([code, signal]) => {
    throw new Error(
      `The process of tests has ended (${signal ?? `status ${code}`}); it had run ${ran.join(", ") || "nothing"}.`,
    );
  });
  const message = async () => (await Promise.race([once(child, "message"), gone]))[0];
  await message();
  return {
    /** Returns Jest's result of the file. @errors Error if the process ends first */
    async run(job) {
      ran.push(job.path);
      child.send(job, () => undefined);
      const { result, cost, memory, error } = await message();
      if (error) throw error;
      return { result, cost, isFull: memory > WORKER_MEMORY_MAX };
    },
    async close() {
      if (child.connected) child.disconnect();
      await gone.catch(() => undefined);
    },
  };
}

export default class Runner {
  #config;

  constructor(globalConfig) {
    this.#config = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const globalConfig = this.#config;
    const waiting = longestFirst(tests, ({ path }) => relative(globalConfig.rootDir, path)).values();
    const oneAfterTheOther = async () => {
      let worker;
      const replace = async () => {
        await worker?.close();
        worker = undefined;
      };
      for (const test of waiting) {
        if (watcher.isInterrupted()) break;
        const { path, context } = test;
        await onStart(test);
        try {
          worker ??= await open();
          const { result, cost, isFull } = await worker.run({ path, config: context.config, globalConfig });
          if (isFull) await replace();
          const fromRoot = relative(globalConfig.rootDir, path);
          if (process.env.PARLEY_TEST_COSTS)
            appendFileSync(process.env.PARLEY_TEST_COSTS, `${JSON.stringify({ path: fromRoot, ...cost })}\n`);
          await onResult(test, judgeStarts(result, fromRoot, cost.starts));
        } catch (error) {
          await replace();
          await onFailure(test, { message: error.message, stack: error.stack ?? "" });
        }
      }
      await replace();
    };
    const count = Math.min(globalConfig.maxWorkers, tests.length);
    await Promise.all(Array.from({ length: count }, oneAfterTheOther));
  }
}
