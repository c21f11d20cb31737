import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  averageOf,
  dayBefore,
  digestText,
  nextReportTime,
  durationText,
  type Figures,
} from "../../../server/lib/digest.ts";
import { zoneTimeOf } from "../../../server/lib/time-zone.ts";

describe("the time of the next report", () => {
  test.each([
    ["UTC", "2026-01-05T07:59:59.999Z", 8, "2026-01-05T08:00:00.000Z"],
    ["UTC", "2026-01-05T08:00:00.000Z", 8, "2026-01-06T08:00:00.000Z"],
    ["UTC", "2026-01-05T23:59:00.000Z", 0, "2026-01-06T00:00:00.000Z"],
    ["UTC", "2026-12-31T12:00:00.000Z", 8, "2027-01-01T08:00:00.000Z"],
    ["America/New_York", "2026-01-05T09:00:00.000Z", 8, "2026-01-05T13:00:00.000Z"],
    ["Asia/Kolkata", "2026-01-05T02:30:00.000Z", 8, "2026-01-06T02:30:00.000Z"],
    ["Pacific/Auckland", "2026-01-05T10:59:00.000Z", 0, "2026-01-05T11:00:00.000Z"],
    // Daylight saving time begins: a day of 23 hours.
    ["Europe/Berlin", "2026-03-28T07:00:00.000Z", 8, "2026-03-29T06:00:00.000Z"],
    // The hour that it skips.
    ["Europe/Berlin", "2026-03-28T02:00:00.000Z", 2, "2026-03-29T01:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29T01:00:00.000Z", 2, "2026-03-30T00:00:00.000Z"],
    // It ends: a day of 25 hours, with an hour that occurs twice.
    ["Europe/Berlin", "2026-10-24T06:00:00.000Z", 8, "2026-10-25T07:00:00.000Z"],
    ["Europe/Berlin", "2026-10-24T12:00:00.000Z", 2, "2026-10-25T00:00:00.000Z"],
    ["Europe/Berlin", "2026-10-25T00:00:00.000Z", 2, "2026-10-26T01:00:00.000Z"],
  ])("in %s after %s at %d", (name, after, hour, expected) =>
    expect(nextReportTime(new Date(after), hour, zoneTimeOf(name)).toISOString()).toBe(expected),
  );

  test("it is the first time after the given one at that local hour", () => {
    const instant = fc.date({
      min: new Date("2026-01-01T00:00:00Z"),
      max: new Date("2027-12-31T00:00:00Z"),
      noInvalidDate: true,
    });
    const names = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 23 }), names, (after, hour, name) => {
        const here = zoneTimeOf(name);
        const next = nextReportTime(after, hour, here);
        expect(next.getTime()).toBeGreaterThan(after.getTime());
        expect(next.getTime() - after.getTime()).toBeLessThanOrEqual(25 * 3_600_000);
        const { day, minutes } = here.at(next);
        expect(here.timeOf(day, hour * 60)).toEqual(next);
        if (hour > 3) expect(minutes).toBe(hour * 60);
        expect(nextReportTime(new Date(next.getTime() - 1), hour, here)).toEqual(next);
      }),
      { numRuns: 60 },
    );
  });
});

test.each([
  ["UTC", "2026-01-05T08:00:00Z", "2026-01-04", "2026-01-04T00:00:00.000Z", "2026-01-05T00:00:00.000Z"],
  ["UTC", "2026-03-01T00:00:00Z", "2026-02-28", "2026-02-28T00:00:00.000Z", "2026-03-01T00:00:00.000Z"],
  ["America/New_York", "2026-01-05T02:00:00Z", "2026-01-03", "2026-01-03T05:00:00.000Z", "2026-01-04T05:00:00.000Z"],
  ["Europe/Berlin", "2026-03-30T06:00:00Z", "2026-03-29", "2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"],
  ["Europe/Berlin", "2026-10-26T07:00:00Z", "2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z"],
])("the report in %s at %s covers %s", (name, at, day, start, end) =>
  expect(dayBefore(new Date(at), zoneTimeOf(name))).toEqual({ day, start: new Date(start), end: new Date(end) }),
);

test.each([
  [0, "0 s"],
  [0.4, "0 s"],
  [0.5, "1 s"],
  [1, "1 s"],
  [59.4, "59 s"],
  [59.6, "1 min"],
  [60, "1 min"],
  [61.4, "1 min 1 s"],
  [3_599, "59 min 59 s"],
  [3_599.7, "1 h"],
  [3_600, "1 h"],
  [3_629, "1 h"],
  [3_630, "1 h 1 min"],
  [7_500, "2 h 5 min"],
  [86_399, "1 d"],
  [86_400, "1 d"],
  [90_000, "1 d 1 h"],
  [266_400, "3 d 2 h"],
  [266_400 + 1_799, "3 d 2 h"],
  [266_400 + 1_800, "3 d 3 h"],
])("a duration of %d seconds is shown as %s", (seconds, text) => expect(durationText(seconds)).toBe(text));

test("the average rating has one decimal place", () => {
  expect(averageOf([])).toBeUndefined();
  expect(averageOf([5])).toBe(5);
  expect(averageOf([5, 4, 4])).toBe(4.3);
  expect(averageOf([1, 2])).toBe(1.5);
});

describe("the report's text", () => {
  const figures: Figures = {
    begun: 12,
    resolved: 9,
    firstResponse: 200,
    resolution: 7_500,
    ratings: [5, 4, 4],
    leads: 2,
  };
  test("has one figure a line", () =>
    expect(digestText("2026-01-04", figures)).toBe(
      [
        "Report of Sunday, 2026-01-04",
        "",
        "Conversations begun or reopened  12",
        "Conversations resolved           9",
        "First response, median           3 min 20 s",
        "Resolution, median               2 h 5 min",
        "Ratings                          3, on average 4.3 of 5",
        "Leads                            2",
      ].join("\n"),
    ));
  test("shows zeros for a day without events", () => {
    const nothing = { begun: 0, resolved: 0, firstResponse: undefined, resolution: undefined, ratings: [], leads: 0 };
    const values = digestText("2026-01-05", nothing)
      .split("\n")
      .slice(2)
      .map((line) => line.slice(33));
    expect(values).toEqual(["0", "0", "–", "–", "0", "0"]);
    expect(digestText("2026-01-05", nothing)).toContain("Report of Monday, 2026-01-05\n\n");
  });
});
