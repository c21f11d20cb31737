import { setTimeout } from "node:timers/promises";

/** Time between two checks of the condition. @units milliseconds */
const CHECK_MS = 10;

/**
 * Waits until the condition holds. The deadline only ends a test that fails: no test expects anything of how long it takes.
 * @errors Error with the description if the condition does not hold in time
 * @units milliseconds
 */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
  describe: () => string = () => holds.toString(),
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${timeoutMs} ms: ${describe()}`);
    await setTimeout(CHECK_MS);
  }
}
