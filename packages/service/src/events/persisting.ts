import { pause } from "./bell.ts";

/** Between two attempts at what the database does not do. @units milliseconds */
const REST = 250;

/** Does it until it is done. -> undefined when the signal ended it before */
export const persist = async <T>(
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<{ readonly value: T } | undefined> => {
  while (!signal.aborted) {
    try {
      return { value: await work() };
    } catch {
      await pause(REST, signal);
    }
  }
  return undefined;
};
