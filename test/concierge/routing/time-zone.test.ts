import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  dayAt,
  daysAfter,
  isDay,
  startOfDay,
  weekdayOf,
  isKnownTimeZone,
  zoneTimeOf,
} from "../../../server/lib/time-zone.ts";
import { settingsOf } from "../../../server/lib/settings.ts";
import { templateViewOf } from "../../../server/lib/template-view.ts";

const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "Africa/Cairo",
  "Pacific/Chatham",
  "America/St_Johns",
];

describe("the time of a local time", () => {
  test.each([
    ["UTC", "2026-01-05", 540, "2026-01-05T09:00:00.000Z"],
    ["Europe/Berlin", "2026-01-05", 540, "2026-01-05T08:00:00.000Z"],
    ["Europe/Berlin", "2026-07-01", 1440, "2026-07-01T22:00:00.000Z"],
    ["Asia/Kolkata", "2026-07-01", 0, "2026-06-30T18:30:00.000Z"],
    // In spring 02:00 becomes 03:00: a skipped time is the moment of the change.
    ["Europe/Berlin", "2026-03-29", 119, "2026-03-29T00:59:00.000Z"],
    ["Europe/Berlin", "2026-03-29", 120, "2026-03-29T01:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", 150, "2026-03-29T01:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", 179, "2026-03-29T01:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", 180, "2026-03-29T01:00:00.000Z"],
    ["Europe/Berlin", "2026-03-29", 181, "2026-03-29T01:01:00.000Z"],
    ["America/New_York", "2026-03-08", 120, "2026-03-08T07:00:00.000Z"],
    ["America/New_York", "2026-03-08", 151, "2026-03-08T07:00:00.000Z"],
    ["America/New_York", "2026-03-08", 540, "2026-03-08T13:00:00.000Z"],
    // In autumn 03:00 becomes 02:00: a time that occurs twice is the first moment.
    ["Europe/Berlin", "2026-10-25", 119, "2026-10-24T23:59:00.000Z"],
    ["Europe/Berlin", "2026-10-25", 120, "2026-10-25T00:00:00.000Z"],
    ["Europe/Berlin", "2026-10-25", 179, "2026-10-25T00:59:00.000Z"],
    ["Europe/Berlin", "2026-10-25", 180, "2026-10-25T02:00:00.000Z"],
    ["America/New_York", "2026-11-01", 90, "2026-11-01T05:30:00.000Z"],
    ["America/New_York", "2026-11-01", 120, "2026-11-01T07:00:00.000Z"],
    // By half an hour, over midnight, and by a whole day.
    ["Australia/Lord_Howe", "2026-10-04", 135, "2026-10-03T15:30:00.000Z"],
    ["Africa/Cairo", "2026-04-24", 30, "2026-04-23T22:00:00.000Z"],
    ["Pacific/Apia", "2011-12-30", 540, "2011-12-30T10:00:00.000Z"],
  ])("%s %s, minute %i: %s", (name, day, minutes, time) => {
    expect(zoneTimeOf(name).timeOf(day, minutes).toISOString()).toBe(time);
  });

  test("is shown by the local clock, unless the clock skips it", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true }),
        (name, date) => {
          const minute = new Date(Math.floor(date.getTime() / 60_000) * 60_000);
          const there = zoneTimeOf(name);
          const { day, minutes } = there.at(minute);
          const time = there.timeOf(day, minutes);
          expect(there.at(time)).toEqual({ day, minutes });
          // The same, or an hour or less before: the first of two.
          expect(minute.getTime() - time.getTime()).toBeGreaterThanOrEqual(0);
          expect(minute.getTime() - time.getTime()).toBeLessThanOrEqual(3_600_000);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test("seconds of a time are ignored", () => {
  expect(zoneTimeOf("Europe/Berlin").at(new Date("2026-01-05T22:59:59.999Z"))).toEqual({
    day: "2026-01-05",
    minutes: 1439,
  });
  expect(zoneTimeOf("Europe/Berlin").at(new Date("2026-01-05T23:00:00.000Z"))).toEqual({
    day: "2026-01-06",
    minutes: 0,
  });
});

test.each([
  ["Europe/Berlin", 10],
  ["Mars/Phobos", 9],
])("templates have the local time of the zone %s", (time_zone, hour) => {
  const now = new Date("2026-01-05T09:00:00Z");
  expect(templateViewOf(settingsOf({ time_zone }), {}, now).time).toMatchObject({ hour });
});

test.each([
  ["Europe/Berlin", true],
  ["UTC", true],
  ["America/Argentina/Buenos_Aires", true],
  ["Mars/Phobos", false],
  ["EST", false],
  ["Berlin", false],
  ["", false],
  ["+01:00", false],
  ["Europe / Berlin", false],
])("%j is a time zone: %j", (text, is) => {
  expect(isKnownTimeZone(text)).toBe(is);
});

describe("a calendar day", () => {
  test.each([
    ["2026-02-28", true],
    ["2024-02-29", true],
    ["2026-02-29", false],
    ["2026-13-01", false],
    ["2026-1-01", false],
    ["2026-01-01T00:00", false],
    ["x2026-01-01", false],
    ["", false],
  ])("%j is valid: %j", (text, is) => {
    expect(isDay(text)).toBe(is);
  });
  test("has adjacent days and a weekday", () => {
    expect(daysAfter("2026-02-28", 1)).toBe("2026-03-01");
    expect(daysAfter("2026-01-01", -1)).toBe("2025-12-31");
    expect(["2026-01-04", "2026-01-05", "2026-01-10"].map(weekdayOf)).toEqual([0, 1, 6]);
    expect(dayAt(startOfDay("2026-01-05") + 1)).toBe("2026-01-05");
  });
});
