import "../../browser-globals.ts";
import { expect, test } from "@jest/globals";
import fc from "fast-check";

const { durationTicks, exactDuration, roundDuration } =
  await import("../../../src/administration/reports/durations.ts");

test.each([
  [0, "0s"],
  [0.001, "0.001s"],
  [21.25, "21.25s"],
  [59.999, "59.999s"],
  [60, "1m"],
  [100, "1m 40s"],
  [3_600, "1h"],
  [3_723.5, "1h 2m 3.5s"],
  [86_400, "1d"],
  [90_061.007, "1d 1h 1m 1.007s"],
  [100 * 86_400 + 1, "100d 1s"],
])("%d seconds without loss are %s", (seconds, text) => {
  expect(exactDuration(seconds)).toBe(text);
});

const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };
const msOf = (text: string): number =>
  text
    .split(" ")
    .reduce((sum, part) => sum + Math.round(Number(part.slice(0, -1)) * (UNITS[part.slice(-1)] ?? Number.NaN)), 0);

test("a duration without loss names exactly the milliseconds that the API sent", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * 86_400_000 }), (ms) => {
      expect(msOf(exactDuration(ms / 1_000))).toBe(ms);
    }),
  );
});

test.each([
  [0, "0s"],
  [0.04, "0s"],
  [2.26, "2.3s"],
  [21.25, "21s"],
  [59.7, "1m"],
  [100.4, "1m 40s"],
  [3_599.6, "1h"],
  [3_723.5, "1h 2m"],
  [86_399, "1d"],
  [90_061, "1d 1h"],
])("%d seconds are rounded to %s", (seconds, text) => {
  expect(roundDuration(seconds)).toBe(text);
});

test("a rounded duration has at most two units and differs by at most half of the smaller unit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * 86_400_000 }), (ms) => {
      const text = roundDuration(ms / 1_000);
      expect(text.split(" ").length).toBeLessThanOrEqual(2);
      const half = ms < 10_000 ? 50 : ms < 3_600_000 ? 500 : ms < 86_400_000 ? 30_000 : 1_800_000;
      expect(Math.abs(msOf(text) - ms)).toBeLessThanOrEqual(half);
    }),
  );
});

test.each([
  [0, [0, 0.1]],
  [0.4, [0, 0.1, 0.2, 0.3, 0.4]],
  [40, [0, 10, 20, 30, 40]],
  [100, [0, 30, 60, 90, 120]],
  [7_000, [0, 1_800, 3_600, 5_400, 7_200]],
])("an axis to %d seconds has values at %j", (maximum, ticks) => {
  expect(durationTicks(maximum)).toEqual(ticks);
});

test("an axis begins at 0, reaches the maximum, and has at most seven values at equal distances", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (maximum) => {
      const ticks = durationTicks(maximum);
      expect(ticks[0]).toBe(0);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(maximum - 0.05);
      expect(ticks.length).toBeLessThanOrEqual(7);
      const distances = ticks.slice(1).map((tick, index) => Math.round((tick - (ticks[index] ?? 0)) * 10));
      expect(new Set(distances).size).toBe(1);
    }),
  );
});
