import { pause } from "./bell.ts";

/** How long a loop whose step failed waits before the next. @units milliseconds */
const REST = 250;

/** The one line of an error that a log shows. */
export const lineOf = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : String(error)).split("\n", 1)[0] ?? "";

/**
 * Repeats a step until the signal; a step that fails is logged, once as long as the failure stays the same, and repeated.
 * -> resolves when the last step has ended
 */
export const loop = async (
  name: string,
  step: () => Promise<void>,
  { signal, log }: { readonly signal: AbortSignal; readonly log: (line: string) => void },
): Promise<void> => {
  let said: string | undefined;
  while (!signal.aborted) {
    try {
      await step();
      said = undefined;
    } catch (error) {
      if (signal.aborted) return;
      const line = lineOf(error);
      if (line !== said) log(`events: ${name}: ${line}`);
      said = line;
      await pause(REST, signal);
    }
  }
};
