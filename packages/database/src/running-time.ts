import { setTimeout } from "node:timers/promises";

/** Granularity of the time. @units milliseconds */
const STEP_MS = 50;

/** Resolves after the process was running for this time: while it is suspended, it can't receive the server's response. */
export const sleepWhileRunning = async (
  ms: number,
  options: { signal?: AbortSignal; ref?: boolean } = {},
): Promise<void> => {
  for (let left = ms; left > 0; left -= STEP_MS) await setTimeout(Math.min(left, STEP_MS), undefined, options);
};
