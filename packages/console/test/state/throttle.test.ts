import { expect, test } from "@jest/globals";
import { createThrottle } from "../../src/state/throttle.ts";

const INTERVAL_MS = 300;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test("values are handled at once after a quiet time, later ones together when the interval is over", async () => {
  const handled: { readonly values: readonly string[]; readonly at: number }[] = [];
  const add = createThrottle<string>(
    INTERVAL_MS,
    (values) => void handled.push({ values: [...values], at: performance.now() }),
  );
  add(["a"]);
  await pause(20);
  expect(handled.map(({ values }) => values)).toEqual([["a"]]);
  for (let count = 0; count < 100; count += 1) add(count % 2 === 0 ? ["b"] : ["c", "b"]);
  await pause(3 * INTERVAL_MS);
  expect(handled.map(({ values }) => values)).toEqual([["a"], ["b", "c"]]);
  const [first, second] = handled;
  // Timers of Node may fire a millisecond early.
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(INTERVAL_MS - 5);
});

test("nothing is handled without values", async () => {
  let calls = 0;
  createThrottle<string>(INTERVAL_MS, () => (calls += 1))([]);
  await pause(20);
  expect(calls).toBe(0);
});
