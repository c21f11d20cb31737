/** Runs a test file in this process, in the plain environment of Node. */
import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import { ModuleMocker } from "jest-mock";
import { FRESH, GLOBALS } from "./modules.mjs";

const require = createRequire(import.meta.url);
const { default: adapter } = require("jest-circus/runner");
const asyncHooks = require("node:async_hooks");
const mocker = new ModuleMocker(globalThis);
/** Under which names jest-circus keeps its state in the global object. */
const TIMEOUT = Symbol.for("TEST_TIMEOUT_SYMBOL");
const STATE = [Symbol.for("EVENT_HANDLERS"), TIMEOUT];
/** What commands listen for until their process ends, which here it does not. */
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
 * By what jest-circus knows the test that runs. They run one after the other, so that it need not follow every promise as Node's own does:
 * that costs a tenth of the processor time, and more with each file, since what one file's jest-circus follows is never let go.
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

/** What jest-circus asks of Jest's module system, by Node's own. */
const runtime = () => ({
  requireInternalModule: (path) => {
    // Each file starts from an empty state, which this module holds.
    delete require.cache[path];
    const { AsyncLocalStorage } = asyncHooks;
    asyncHooks.AsyncLocalStorage = Running;
    try {
      return require(path);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
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
 * Says how modules are found and read in this process, once.
 * @param folders whose modules each test file has for itself, besides those of tests. @shape from the root, such as `server/`
 */
export const readModules = (folders = []) => register("./hooks.mjs", import.meta.url, { data: { folders } });

/** Runs one file. -> Jest's result of it */
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
      // Errors may hold what can't be sent; Jest has written them down by now.
      testResults: result.testResults.map((one) => ({ ...one, failureDetails: [] })),
      skipped: count === result.numPendingTests,
    };
  } finally {
    // The next file finds what this one found.
    mocker.restoreAllMocks();
    for (const name of Object.keys(process.env)) if (!(name in before.env)) delete process.env[name];
    Object.assign(process.env, before.env);
    for (const [signal, kept] of listeners)
      for (const listener of process.listeners(signal)) if (!kept.includes(listener)) process.off(signal, listener);
    process.chdir(before.cwd);
    process.exitCode = undefined;
  }
}
