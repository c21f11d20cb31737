import { setTimeout } from "node:timers/promises";

/** Waits until the condition holds. @errors Error if it does not hold in time @units milliseconds */
export async function waitUntil(holds: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`not within ${timeoutMs} ms: ${holds.toString()}`);
    await setTimeout(10);
  }
}
