import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { EVENT_REPORTS } from "../../../../src/console/reporting/reports/report-kinds.ts";
import { filePeriodsOf, splitPeriod } from "../../../../src/console/reporting/reports/report-period.ts";

test("the files of a report cover its range without a gap or an overlap, and none is longer than the limit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 40 }), fc.nat(1e9), (ms, pieces, from) => {
      const range = { from: new Date(from), to: new Date(from + ms) };
      const length = Math.ceil(ms / pieces);
      const stretches = splitPeriod(range, length);
      expect([stretches[0]?.from, stretches.at(-1)?.to]).toEqual([range.from, range.to]);
      for (const [index, stretch] of stretches.entries()) {
        expect(stretch.to.getTime() - stretch.from.getTime()).toBeGreaterThan(0);
        expect(stretch.to.getTime() - stretch.from.getTime()).toBeLessThanOrEqual(length);
        if (index > 0) expect(stretch.from).toEqual(stretches[index - 1]?.to);
      }
    }),
  );
});

test("sums over a range are one file", () => {
  const range = { from: new Date(0), to: new Date(31 * 86_400_000) };
  expect(filePeriodsOf(range, EVENT_REPORTS["agent-performance"])).toEqual([range]);
  expect(filePeriodsOf(range, EVENT_REPORTS.classic)).toHaveLength(5);
});
