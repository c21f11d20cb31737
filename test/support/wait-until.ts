import { setTimeout } from "node:timers/promises";

/** Pause between two evaluations. @units milliseconds */
const POLL_INTERVAL_MS = 10;

/**
 * Polls until the condition returns a value other than `undefined` and `false`. The time limit only ends a test that fails.
 * -> the value @errors Error after the time limit, with the text of `details` @units milliseconds
 */
export async function waitUntil<T>(
  find: () => T | Promise<T>,
  { details = () => "", timeoutMs = 90_000 }: { readonly details?: () => string; readonly timeoutMs?: number } = {},
): Promise<Exclude<T, undefined | false>> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await find();
    if (value !== undefined && value !== false) return value as Exclude<T, undefined | false>;
    if (performance.now() > end) throw new Error(`Not within ${timeoutMs} ms: ${find.toString()}\n${details()}`);
    await setTimeout(POLL_INTERVAL_MS);
  }
}
