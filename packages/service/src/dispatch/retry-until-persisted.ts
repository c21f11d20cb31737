import { DatabaseUnreachable, isConnectionLost } from "@parley/database";
import { firstLineOf } from "../concurrency/run-loop.ts";
import { sleep } from "../concurrency/wake-signal.ts";

/** Wait after a write that failed. @units milliseconds */
const RETRY_DELAY_MS = 250;

/** The connection pool logs that the database is away. */
const isDatabaseUnreachable = (error: unknown): boolean =>
  error instanceof DatabaseUnreachable || isConnectionLost(error);

/**
 * Repeats a write until it succeeds. The same failure in a row is logged once.
 * -> undefined when the signal ended it before
 */
export const retryUntilPersisted = async <T>(
  write: () => Promise<T>,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<{ readonly value: T } | undefined> => {
  let lastLogged: string | undefined;
  while (!signal.aborted) {
    try {
      return { value: await write() };
    } catch (error) {
      const line = firstLineOf(error);
      if (line !== lastLogged && !isDatabaseUnreachable(error))
        log(`events: the outcome of a delivery cannot be saved; trying again: ${line}`);
      lastLogged = line;
      await sleep(RETRY_DELAY_MS, signal);
    }
  }
  return undefined;
};
