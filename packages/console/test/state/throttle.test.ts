import { mock } from "node:test";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createThrottle } from "../../src/state/throttle.ts";

const INTERVAL_MS = 300;
beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"] }));
afterEach(() => mock.timers.reset());

test("values are handled at once after a quiet time, later values together when the interval is over", () => {
  const handled: (readonly string[])[] = [];
  const add = createThrottle<string>(INTERVAL_MS, (values) => void handled.push([...values]));
  add(["a"]);
  mock.timers.tick(1);
  expect(handled).toEqual([["a"]]);
  for (let count = 0; count < 100; count += 1) add(count % 2 === 0 ? ["b"] : ["c", "b"]);
  mock.timers.tick(INTERVAL_MS - 2);
  expect(handled).toEqual([["a"]]);
  mock.timers.tick(2);
  expect(handled).toEqual([["a"], ["b", "c"]]);
  mock.timers.tick(3 * INTERVAL_MS);
  expect(handled).toHaveLength(2);
});

test("nothing is handled without values", () => {
  let calls = 0;
  createThrottle<string>(INTERVAL_MS, () => (calls += 1))([]);
  mock.timers.tick(INTERVAL_MS);
  expect(calls).toBe(0);
});
