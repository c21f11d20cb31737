import { expect, test } from "@jest/globals";
import { createLruCache } from "../../../src/base/concurrency/lru-cache.ts";

test("the cache keeps the latest entries, and never more than twice its size", () => {
  const numbers = createLruCache<number>(10);
  for (let key = 0; key < 1_000; key++) numbers.set(String(key), key);
  const present = Array.from({ length: 1_000 }, (_, key) => numbers.get(String(key))).filter(
    (value) => value !== undefined,
  );
  expect(present.length).toBeLessThanOrEqual(20);
  expect(present).toContain(999);
});

test("entries that are read are kept", () => {
  const numbers = createLruCache<number>(10);
  numbers.set("kept", -1);
  for (let key = 0; key < 1_000; key++) {
    numbers.set(String(key), key);
    expect(numbers.get("kept")).toBe(-1);
  }
});

test("the newest value is returned", () => {
  const numbers = createLruCache<number>(2);
  numbers.set("a", 1);
  for (const key of ["b", "c", "d"]) numbers.set(key, 0);
  numbers.set("a", 2);
  expect(numbers.get("a")).toBe(2);
});
