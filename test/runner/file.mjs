/** Runs a test file in this process, in Node's own environment. */
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import { ModuleMocker } from "jest-mock";
import { FRESH, GLOBALS } from "./modules.mjs";

const require = createRequire(import.meta.url);
const { default: adapter } = require("jest-circus/runner");
const asyncHooks = require("node:async_hooks");
const mocker = new ModuleMocker(globalThis);
/** Names under which jest-circus keeps its state in the global object. */
const TIMEOUT = Symbol.for("TEST_TIMEOUT_SYMBOL");
const STATE = [Symbol.for("EVENT_HANDLERS"), TIMEOUT];
/** Signals whose handlers commands leave until their process ends. This process goes on. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
let ran = 0;

const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  setTimeout: (ms) => {
    globalThis[TIMEOUT] = ms;
    return jest;
  },
};

/**
 * Replaces the AsyncLocalStorage in which jest-circus keeps the running test. Tests run sequentially, so a plain variable suffices. Node's own
 * implementation tracks every promise, which costs a tenth of the processor time, and more with each file, since it never releases the
 * state of earlier files.
 */
class Running {
  #now;

  getStore() {
    return this.#now;
  }

  async run(store, work) {
    const before = this.#now;
    this.#now = store;
    try {
      return await work();
    } finally {
      this.#now = before;
    }
  }
}

/** The parts of Jest's module system that jest-circus uses, implemented with Node's. */
const runtime = () => ({
  requireInternalModule: (path) => {
    // The module holds jest-circus's state: each file needs a new instance.
    delete require.cache[path];
    // Since Node 22, the member is a getter.
    const member = Object.getOwnPropertyDescriptor(asyncHooks, "AsyncLocalStorage");
    Object.defineProperty(asyncHooks, "AsyncLocalStorage", { value: Running, configurable: true });
    try {
      return require(path);
    } finally {
      Object.defineProperty(asyncHooks, "AsyncLocalStorage", member);
    }
  },
  requireModule: require,
  setGlobalsForRuntime: (globals) => (globalThis[GLOBALS] = { ...globals, jest }),
  unstable_shouldLoadAsEsm: () => true,
  unstable_importModule: (path) => import(`${pathToFileURL(path)}?${FRESH}=${++ran}`),
  enterTestCode: () => undefined,
  leaveTestCode: () => undefined,
});

/**
 * Registers the module hooks of this process. Called once.
 * @param folders folders whose modules each test file loads anew, in addition to those of tests. @shape from the root, such as `server/`
 */
export const readModules = (folders = []) => register("./hooks.mjs", import.meta.url, { data: { folders } });

/** Runs one file. Returns Jest's result of it. */
export async function run({ path, config, globalConfig }) {
  const listeners = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const before = { env: { ...process.env }, cwd: process.cwd() };
  const start = Date.now();
  for (const symbol of STATE) delete globalThis[symbol];
  try {
    const result = await adapter(globalConfig, config, { global: globalThis }, runtime(), path);
    const end = Date.now();
    const count = result.numPassingTests + result.numFailingTests + result.numPendingTests + result.numTodoTests;
    return {
      ...result,
      perfStats: {
        ...result.perfStats,
        start,
        end,
        runtime: end - start,
        slow: (end - start) / 1_000 > config.slowTestThreshold,
      },
      // Errors may contain values that can't be serialized. Jest has formatted them by now.
      testResults: result.testResults.map((one) => ({ ...one, failureDetails: [] })),
      skipped: count === result.numPendingTests,
    };
  } finally {
    // Restores the state for the next file.
    mocker.restoreAllMocks();
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    for (const [signal, kept] of listeners)
      for (const listener of process.listeners(signal)) if (!kept.includes(listener)) process.off(signal, listener);
    process.chdir(before.cwd);
    process.exitCode = undefined;
  }
}
