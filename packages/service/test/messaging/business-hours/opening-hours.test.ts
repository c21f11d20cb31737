import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { BusinessHours } from "@parley/contract";
import { openStateAt } from "../../../src/messaging/business-hours/opening-hours.ts";
import { timeZoneOf } from "@parley/contract/display";

const OFFICE = [{ from: "09:00", to: "17:30" }];
const ALL_DAY = [{ from: "00:00", to: "24:00" }];
const EVERY = (day: BusinessHours["week"]["monday"]): BusinessHours["week"] => ({
  monday: day,
  tuesday: day,
  wednesday: day,
  thursday: day,
  friday: day,
  saturday: day,
  sunday: day,
});
const NEW_YORK: BusinessHours = {
  timezone: "America/New_York",
  week: { ...EVERY(OFFICE), saturday: undefined, sunday: [] },
  holidays: ["2026-11-26"],
};
const night = (timezone: string, from: string, to: string): BusinessHours => ({
  timezone,
  week: EVERY([{ from, to }]),
});
const BERLIN = "Europe/Berlin";

const opening = (hours: BusinessHours, time: string) => {
  const { isOpen, until } = openStateAt(hours, timeZoneOf(hours.timezone), Date.parse(time));
  return [isOpen, until === undefined ? undefined : new Date(until).toISOString()];
};

describe("the state of business hours", () => {
  test.each<[string, BusinessHours, string, boolean, string | undefined]>([
    ["from the first moment on", NEW_YORK, "2026-07-06T13:00:00.000Z", true, "2026-07-06T21:30:00.000Z"],
    ["not a moment before", NEW_YORK, "2026-07-06T12:59:59.999Z", false, "2026-07-06T13:00:00.000Z"],
    ["to the last moment", NEW_YORK, "2026-07-06T21:29:59.999Z", true, "2026-07-06T21:30:00.000Z"],
    ["not a moment longer", NEW_YORK, "2026-07-06T21:30:00.000Z", false, "2026-07-07T13:00:00.000Z"],
    ["after a weekend", NEW_YORK, "2026-07-03T22:00:00.000Z", false, "2026-07-06T13:00:00.000Z"],
    ["an hour later by UTC in winter", NEW_YORK, "2026-12-07T13:30:00.000Z", false, "2026-12-07T14:00:00.000Z"],
    [
      "on Monday after the clock was put forward",
      NEW_YORK,
      "2026-03-06T23:00:00.000Z",
      false,
      "2026-03-09T13:00:00.000Z",
    ],
    ["on Monday after it was put back", NEW_YORK, "2026-10-30T22:00:00.000Z", false, "2026-11-02T14:00:00.000Z"],
    ["not on a holiday", NEW_YORK, "2026-11-26T15:00:00.000Z", false, "2026-11-27T14:00:00.000Z"],
    ["by the date of its own clock", NEW_YORK, "2026-11-27T01:00:00.000Z", false, "2026-11-27T14:00:00.000Z"],
    ["over midnight", night(BERLIN, "22:00", "06:00"), "2026-07-06T01:00:00.000Z", true, "2026-07-06T04:00:00.000Z"],
    [
      "in a night that is an hour short",
      night(BERLIN, "22:00", "06:00"),
      "2026-03-29T00:30:00.000Z",
      true,
      "2026-03-29T04:00:00.000Z",
    ],
    [
      "in a night that is an hour long",
      night(BERLIN, "22:00", "06:00"),
      "2026-10-25T00:30:00.000Z",
      true,
      "2026-10-25T05:00:00.000Z",
    ],
    [
      "from when a skipped hour would have been",
      night(BERLIN, "02:30", "05:00"),
      "2026-03-29T00:59:00.000Z",
      false,
      "2026-03-29T01:00:00.000Z",
    ],
    [
      "and not at all in a skipped hour",
      night(BERLIN, "02:00", "03:00"),
      "2026-03-29T00:30:00.000Z",
      false,
      "2026-03-30T00:00:00.000Z",
    ],
    [
      "from the first of two equal times",
      night(BERLIN, "02:30", "05:00"),
      "2026-10-25T00:29:00.000Z",
      false,
      "2026-10-25T00:30:00.000Z",
    ],
    [
      "half an hour off",
      night("Asia/Kolkata", "09:00", "10:00"),
      "2026-07-06T03:30:00.000Z",
      true,
      "2026-07-06T04:30:00.000Z",
    ],
    [
      "where a day was skipped",
      night("Pacific/Apia", "09:00", "10:00"),
      "2011-12-29T21:00:00.000Z",
      false,
      "2011-12-30T19:00:00.000Z",
    ],
    [
      "from one range to the next without a break",
      {
        timezone: "UTC",
        week: { monday: [{ from: "12:00", to: "24:00" }], tuesday: [{ from: "00:00", to: "03:00" }] },
      },
      "2026-07-06T13:00:00.000Z",
      true,
      "2026-07-07T03:00:00.000Z",
    ],
    [
      "in ranges that overlap",
      {
        timezone: "UTC",
        week: {
          monday: [
            { from: "10:00", to: "12:00" },
            { from: "08:00", to: "11:00" },
          ],
        },
      },
      "2026-07-06T08:00:00.000Z",
      true,
      "2026-07-06T12:00:00.000Z",
    ],
    ["for ever", { timezone: BERLIN, week: EVERY(ALL_DAY) }, "2026-07-06T08:00:00.000Z", true, undefined],
    [
      "for ever but a holiday",
      { timezone: "UTC", week: EVERY(ALL_DAY), holidays: ["2026-07-08"] },
      "2026-07-06T08:00:00.000Z",
      true,
      "2026-07-08T00:00:00.000Z",
    ],
    ["never", { timezone: BERLIN, week: {} }, "2026-07-06T08:00:00.000Z", false, undefined],
    ["never in a range without length", night("UTC", "09:00", "09:00"), "2026-07-06T09:00:00.000Z", false, undefined],
    [
      "in the year 1",
      night("America/New_York", "09:00", "10:00"),
      "0001-01-01T14:00:00.000Z",
      true,
      "0001-01-01T14:56:02.000Z",
    ],
  ])("%s", (_title, hours, time, isOpen, until) => {
    expect(opening(hours, time)).toEqual([isOpen, until]);
  });

  test("is computed across a year of holidays", () => {
    const days = Array.from({ length: 400 }, (_, day) =>
      new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
    );
    expect(opening({ ...NEW_YORK, holidays: days }, "2026-01-01T12:00:00.000Z")).toEqual([
      false,
      "2027-02-05T14:00:00.000Z",
    ]);
  });
});

test("an unknown time zone is refused", () => {
  expect(() => timeZoneOf("Mars/Olympus")).toThrow(RangeError);
});

const ZONES = [
  "UTC",
  "America/New_York",
  "Europe/Berlin",
  "Asia/Kolkata",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Chatham",
];
const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;
const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
const range = fc
  .tuple(fc.integer({ min: 0, max: 1_439 }), fc.integer({ min: 1, max: 600 }))
  .map(([from, length]) => ({ from: clock(from), to: clock(Math.min(from + length, 1_440)) }));
const day = fc.option(fc.array(range, { maxLength: 2 }), { nil: undefined });
const schedules: fc.Arbitrary<BusinessHours> = fc.record({
  timezone: fc.constantFrom(...ZONES),
  week: fc.record(Object.fromEntries(DAYS.map((name) => [name, day])) as Record<(typeof DAYS)[number], typeof day>),
});
const instants = fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2027, 11, 31) });

/** Reference implementation: compares the local time with the schedule. */
const byTheWall = ({ timezone, week }: BusinessHours, instant: number): boolean => {
  const shown = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    weekday: "long",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const parts = Object.fromEntries(shown.formatToParts(instant).map(({ type, value }) => [type, value]));
  const time = `${parts["hour"]}:${parts["minute"]}`;
  const name = String(parts["weekday"]).toLowerCase() as (typeof DAYS)[number];
  return (week[name] ?? []).some(({ from, to }) => from <= time && time < to);
};

test("at any time in any zone, the account is open exactly when the local time is within the hours, until the stated change", () => {
  const HOUR_MS = 3_600_000;
  fc.assert(
    fc.property(schedules, instants, fc.double({ min: 0, max: 1, noNaN: true }), (hours, instant, part) => {
      const zone = timeZoneOf(hours.timezone);
      const { isOpen, until } = openStateAt(hours, zone, instant);
      // Excludes changes of daylight saving time, at which local times repeat or are missing: the table above contains them.
      const isSteady = zone.offsetAt(instant - 26 * HOUR_MS) === zone.offsetAt(instant + 26 * HOUR_MS);
      if (isSteady) expect(isOpen).toBe(byTheWall(hours, instant));
      if (until === undefined) return;
      expect(until).toBeGreaterThan(instant);
      expect(openStateAt(hours, zone, until).isOpen).toBe(!isOpen);
      const between = Math.floor(instant + (until - 1 - instant) * part);
      expect(openStateAt(hours, zone, between)).toEqual({ isOpen, until });
    }),
    { numRuns: 400 },
  );
});
