import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { EVENT_REPORTS } from "../../../../src/console/reporting/reports/report-kinds.ts";
import { reportConfig } from "../../../../src/console/reporting/reports/config.ts";
import { filePeriodsOf, splitPeriod } from "../../../../src/console/reporting/reports/report-period.ts";

describe("settings of raw reports", () => {
  test("default to one per minute, 120 per day and seven days", () => {
    expect(reportConfig({ PARLEY_REPORTS_PER_DAY: "" })).toEqual({ perMinute: 1, perDay: 120, days: 7 });
  });

  test("are read from the environment", () => {
    const env = { PARLEY_REPORTS_PER_MINUTE: "30", PARLEY_REPORTS_PER_DAY: "1000000", PARLEY_REPORT_DAYS: "90" };
    expect(reportConfig(env)).toEqual({ perMinute: 30, perDay: 1_000_000, days: 90 });
  });

  test.each([
    ["PARLEY_REPORTS_PER_MINUTE", "0", 1_000_000],
    ["PARLEY_REPORTS_PER_MINUTE", "1.5", 1_000_000],
    ["PARLEY_REPORTS_PER_DAY", "many", 1_000_000],
    ["PARLEY_REPORTS_PER_DAY", "1000001", 1_000_000],
    ["PARLEY_REPORT_DAYS", "91", 90],
    ["PARLEY_REPORT_DAYS", "-1", 90],
  ])("%s=%s is refused", (name, value, most) => {
    expect(() => reportConfig({ [name]: value })).toThrow(
      `${name} must be a whole number from 1 to ${most}, not '${value}'.`,
    );
  });
});

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
