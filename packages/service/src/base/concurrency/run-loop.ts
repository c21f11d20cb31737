import { failureText, type Log } from "@parley/telemetry";
import { sleep } from "./wake-signal.ts";

/** Wait after a step that failed. @units milliseconds */
const RETRY_DELAY_MS = 250;

/**
 * Repeats a step until the signal. A step that fails is logged and repeated; the same failure in a row is logged once.
 * -> resolves when the last step has ended
 */
export const runLoop = async (
  name: string,
  step: () => Promise<void>,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
): Promise<void> => {
  let lastLogged: string | undefined;
  while (!signal.aborted) {
    try {
      await step();
      lastLogged = undefined;
    } catch (error) {
      if (signal.aborted) return;
      const line = failureText(error);
      if (line !== lastLogged) log(`${name}: ${line}`, { level: "error", part: "events" });
      lastLogged = line;
      await sleep(RETRY_DELAY_MS, signal);
    }
  }
};
