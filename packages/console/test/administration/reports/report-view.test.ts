import "../../browser-globals.ts";
import { expect, test } from "@jest/globals";
import fc from "fast-check";

const { addressOfView, DEFAULT_VIEW, metricFilterOf, rangeOf, spanProblem, viewOfAddress, withSpan } =
  await import("../../../src/administration/reports/report-view.ts");
const { reportZone } = await import("../../../src/administration/reports/time-zone.ts");

const NOW = Date.parse("2026-03-12T14:20:30.000Z");

const UTC = reportZone("UTC");

test.each([
  ["7", "UTC", "2026-03-06T00:00:00.000Z"],
  ["30", "UTC", "2026-02-11T00:00:00.000Z"],
  ["90", "UTC", "2025-12-13T00:00:00.000Z"],
  // It is summer time there since 8 March.
  ["7", "America/New_York", "2026-03-06T05:00:00.000Z"],
  ["7", "Asia/Kolkata", "2026-03-05T18:30:00.000Z"],
  // It is the 13th there.
  ["7", "Pacific/Auckland", "2026-03-06T11:00:00.000Z"],
] as const)(
  "the last %s days in %s begin with a day of the time zone, contain today, and end now",
  (span, zone, start) => {
    expect(rangeOf({ ...DEFAULT_VIEW, span }, reportZone(zone), NOW)).toEqual({
      start,
      end: "2026-03-12T14:20:30.000Z",
    });
  },
);

const custom = (from: string, to: string) => ({ ...DEFAULT_VIEW, span: "custom" as const, from, to });

test("chosen dates contain their first and their last day", () => {
  expect(rangeOf(custom("2026-02-27", "2026-03-01"), UTC, NOW)).toEqual({
    start: "2026-02-27T00:00:00.000Z",
    end: "2026-03-02T00:00:00.000Z",
  });
});

test.each([
  ["no first day", "", "2026-03-01", "Choose the first and the last day."],
  ["no last day", "2026-03-01", "", "Choose the first and the last day."],
  ["a year that is still being typed", "0202-03-01", "2026-03-01", "Choose the first and the last day."],
  ["a last day before the first one", "2026-03-02", "2026-03-01", "The last day must not be before the first day."],
])("chosen dates with %s are not a span", (_, from, to, problem) => {
  expect(spanProblem(custom(from, to))).toBe(problem);
  expect(rangeOf(custom(from, to), UTC, NOW)).toBeUndefined();
});

test("chosen dates begin as the days of the span before", () => {
  const view = withSpan({ ...DEFAULT_VIEW, span: "30" }, "custom", UTC, NOW);
  expect([view.from, view.to]).toEqual(["2026-02-11", "2026-03-12"]);
  expect(withSpan(view, "7", UTC, NOW)).toEqual(DEFAULT_VIEW);
});

test.each([
  ["America/New_York", "2026-03-08", "2026-03-08T05:00:00.000Z", "2026-03-09T04:00:00.000Z"],
  ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
  // The clock goes from 23:59 to 01:00.
  ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z", "2026-04-24T21:00:00.000Z"],
])("in %s the chosen day %s is from %s to %s, also when clocks change", (zone, day, start, end) => {
  expect(rangeOf(custom(day, day), reportZone(zone), NOW)).toEqual({ start, end });
});

test.each([
  ["UTC", "2026-03-02T00:00:00Z"],
  ["Europe/Berlin", "2026-03-02T01:00:00+01:00"],
  ["Asia/Kolkata", "2026-03-02T05:30:00+05:30"],
  ["America/New_York", "2026-03-01T19:00:00-05:00"],
])("a time in %s is %s, as its clock shows it", (zone, text) => {
  expect(reportZone(zone).isoTime(Date.parse("2026-03-02T00:00:00Z"))).toBe(text);
});

test("the address of a page leads to the same view", () => {
  const date = fc.constantFrom("", "2026-01-31", "2026-02-28");
  const view = fc.record({
    span: fc.constantFrom("7" as const, "30" as const, "90" as const),
    from: fc.constant(""),
    to: fc.constant(""),
    interval: fc.constantFrom("1h" as const, "1d" as const, "1W" as const, "1M" as const),
    aggregator: fc.constantFrom("avg" as const, "median" as const, "90th_percentile" as const),
    grouping: fc.constantFrom("none" as const, "group" as const, "agent" as const),
    group: fc.constantFrom("", "3d6f3f7e-0000-4000-8000-000000000000"),
    agent: fc.constantFrom("", "3d6f3f7e-0000-4000-8000-000000000001"),
  });
  fc.assert(
    fc.property(view, date, date, fc.boolean(), (each, from, to, isCustom) => {
      const wanted = isCustom ? { ...each, span: "custom" as const, from, to } : each;
      expect(viewOfAddress(addressOfView(wanted))).toEqual(wanted);
    }),
  );
  expect(addressOfView(DEFAULT_VIEW)).toEqual({});
});

test.each([
  [{}],
  [
    {
      span: "8",
      interval: "1y",
      aggregator: "sum",
      grouping: "topic",
      from: "2026-02-30x",
      to: 5,
      group: "a b",
      agent: [],
    },
  ],
])("an address with invalid values has the default view: %j", (search) => {
  expect(viewOfAddress(search)).toEqual(DEFAULT_VIEW);
});

test("a number in an address is a span", () => {
  expect(viewOfAddress({ span: 30 }).span).toBe("30");
});

test.each([
  ["", "", undefined],
  ["g", "", "group:g"],
  ["", "a", "agent:a"],
  ["g", "a", "group:g,agent:a"],
])("the filter of the group %j and the agent %j is %j", (group, agent, filter) => {
  expect(metricFilterOf({ group, agent })).toBe(filter);
});
