import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  bucketOf,
  hourCells,
  bucketMiddle,
  type Measure,
} from "../../../../src/console/reporting/measures/measures.ts";

test("a value differs from the middle of its bucket by at most one percent, and longer values are in later buckets", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2_000_000_000 }), fc.nat({ max: 2_000_000_000 }), (one, other) => {
      expect(Math.abs(bucketMiddle(bucketOf(one)) - one)).toBeLessThanOrEqual(one * 0.01 + 1e-6);
      if (one < other) expect(bucketOf(one)).toBeLessThanOrEqual(bucketOf(other));
    }),
    { examples: [[0, 1]] },
  );
  expect(bucketOf(0)).toBe(0);
  // Thirty years.
  expect(bucketOf(30 * 365 * 86_400_000)).toBeLessThan(1_400);
});

test("measures are summed by hour, in total and by each breakdown", () => {
  const measure = (minute: number, group_id: string | null, ms: number): Measure => ({
    kind: "wait",
    account_id: 1,
    time: new Date(Date.UTC(2026, 0, 1, 10, minute)),
    group_id,
    agent_id: "noah",
    ms,
  });
  const cells = hourCells([measure(0, "a", 5), measure(59, "a", 7), measure(59, null, 9), measure(60, "a", 1)]);
  const shown = cells.map(({ cut, hour, group_id, agent_id, count, sum_ms, min_ms, max_ms, histogram }) => [
    `${cut} ${hour.slice(11, 13)} ${group_id} ${agent_id}`,
    [count, sum_ms, min_ms, max_ms, [...histogram.values()].reduce((sum, each) => sum + each, 0)],
  ]);
  expect(Object.fromEntries(shown)).toEqual({
    "all 10 null null": [3, 21, 5, 9, 3],
    "group 10 a null": [2, 12, 5, 7, 2],
    "group 10 null null": [1, 9, 9, 9, 1],
    "agent 10 null noah": [3, 21, 5, 9, 3],
    "both 10 a noah": [2, 12, 5, 7, 2],
    "both 10 null noah": [1, 9, 9, 9, 1],
    "all 11 null null": [1, 1, 1, 1, 1],
    "group 11 a null": [1, 1, 1, 1, 1],
    "agent 11 null noah": [1, 1, 1, 1, 1],
    "both 11 a noah": [1, 1, 1, 1, 1],
  });
  expect(shown).toHaveLength(10);
});
