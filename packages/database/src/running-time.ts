import { setTimeout } from "node:timers/promises";

/** Granularity of the time. @units milliseconds */
const stepMs = 50;

/** Resolves after the process was running for this time: while it is suspended, it can't receive the server's response. */
export const sleepWhileRunning = async (
  ms: number,
  options: { signal?: AbortSignal; ref?: boolean } = {},
): Promise<void> => {
  for (let left = ms; left > 0; left -= stepMs) await setTimeout(Math.min(left, stepMs), undefined, options);
};
