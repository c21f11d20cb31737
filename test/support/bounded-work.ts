import { runInNewContext } from "node:vm";

/**
 * Runs synchronous work, and ends it after the time limit. The limit ends only a test that fails: give the work an input for which an
 * implementation whose time grows faster than the input would take minutes.
 * -> the result of the work @errors ERR_SCRIPT_EXECUTION_TIMEOUT @units milliseconds
 */
export const boundedWork = <T>(work: () => T, timeoutMs = 60_000): T =>
  runInNewContext("work()", { work }, { timeout: timeoutMs }) as T;
