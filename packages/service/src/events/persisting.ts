import { DatabaseAway, isConnectionLost } from "@parley/database";
import { pause } from "./bell.ts";
import { lineOf } from "./loop.ts";

/** Between two attempts at what the database does not do. @units milliseconds */
const REST = 250;

/** That the database is away is said by who connects to it. */
const isSaid = (error: unknown): boolean => error instanceof DatabaseAway || isConnectionLost(error);

/** Does it until it is done; what hinders it is logged once as long as it stays the same. -> undefined when the signal ended it before */
export const persist = async <T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<{ readonly value: T } | undefined> => {
  let said: string | undefined;
  while (!signal.aborted) {
    try {
      return { value: await work() };
    } catch (error) {
      const line = lineOf(error);
      if (line !== said && !isSaid(error))
        log(`events: what came of a delivery can't be noted, and is tried again: ${line}`);
      said = line;
      await pause(REST, signal);
    }
  }
  return undefined;
};
