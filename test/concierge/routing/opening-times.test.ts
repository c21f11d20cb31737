import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  nextOpening,
  type OpeningTimes,
  localTimeView,
  openingView,
  parseOpeningTimes,
} from "../../../server/lib/opening-times.ts";
import { parseHolidays, clockOf, parseHours } from "../../../server/lib/business-hours.ts";
import { settingsOf } from "../../../server/lib/settings.ts";
import { zoneTimeOf } from "../../../server/lib/time-zone.ts";

/** Formats the hours of a week, starting with Sunday. */
const weekOf = (text: string): string[] => {
  const { week, problems } = parseHours(text);
  expect(problems).toEqual([]);
  return week.map((day) => day.map(({ from, to }) => `${clockOf(from)}-${clockOf(to)}`).join(" "));
};
const FORM = 'write days and times, such as "Mon-Fri 09:00-17:00" or "Sat, Sun 10:00-12:00, 13:00-15:00".';

describe("business hours", () => {
  const day = "09:00-17:00";
  test.each([
    ["Mon-Fri 09:00-17:00", ["", day, day, day, day, day, ""]],
    ["mon - FRI  9:00 – 17:00", ["", day, day, day, day, day, ""]],
    ["Sat-Mon 09:00-17:00", [day, day, "", "", "", "", day]],
    ["Sunday, Tues,Thursday 09:00-17:00", [day, "", day, "", day, "", ""]],
    ["Wed-Wed 09:00-17:00", ["", "", "", day, "", "", ""]],
    ["Mon-Sun 00:00-24:00", Array<string>(7).fill("00:00-24:00")],
    ["Sat 13:00-15:00, 10:00-12:30", ["", "", "", "", "", "", "10:00-12:30 13:00-15:00"]],
    [
      "Mon 12:00-13:00\n\nMon 13:00-14:00\nSun 00:00-00:01",
      ["00:00-00:01", "12:00-13:00 13:00-14:00", ...Array<string>(5).fill("")],
    ],
    ["", Array<string>(7).fill("")],
  ])("%j", (text, week) => {
    expect(weekOf(text)).toEqual(week);
  });

  test.each([
    ["Mon", FORM],
    ["09:00-17:00", FORM],
    ["Mon 9-17", FORM],
    ["Mon 09:00", FORM],
    ["Mon 09:00-17:00-18:00", FORM],
    ["Mon 09:00-17:00,", FORM],
    ["x Mon 09:00-17:00", FORM],
    ["Mo-Fr 09:00-17:00", FORM],
    ["Mon-Fri-Sun 09:00-17:00", FORM],
    ["Mon-xyz 09:00-17:00", FORM],
    ["xyz-Mon 09:00-17:00", FORM],
    ["Mon,, Tue 09:00-17:00", FORM],
    ["Monday's 09:00-17:00", FORM],
    ["Mon 09:60-17:00", '"09:60-17:00" is not a time of day: write a time from 00:00 to 24:00.'],
    ["Mon 09:00-24:01", '"09:00-24:01" is not a time of day: write a time from 00:00 to 24:00.'],
    [
      "Fri 22:00-02:00",
      '"22:00-02:00" doesn\'t end on its day: write two lines, such as "Fri 22:00-24:00" and "Sat 00:00-02:00".',
    ],
    [
      "Fri 09:00-09:00",
      '"09:00-09:00" doesn\'t end on its day: write two lines, such as "Fri 22:00-24:00" and "Sat 00:00-02:00".',
    ],
  ])("%j is a problem that says what to write", (text, message) => {
    expect(parseHours(text)).toEqual({ week: Array(7).fill([]), problems: [{ line: 1, message }] });
  });

  test("that overlap are a problem that names the first line", () => {
    const { week, problems } = parseHours("Mon-Fri 09:00-17:00\nFri 16:59-18:00\nSat 09:00-12:00, 11:00-13:00");
    expect(problems).toEqual([
      { line: 2, message: "Friday 09:00-17:00 stands in line 1 already." },
      { line: 3, message: "Saturday 09:00-12:00 stands in line 3 already." },
    ]);
    expect(week[5]).toEqual([{ from: 540, to: 1020 }]);
    expect(week[6]).toEqual([{ from: 540, to: 720 }]);
  });
});

describe("holidays", () => {
  const HOLIDAY = 'write "2026-12-25 Christmas", or "2026-12-24 - 2026-12-31 Winter break" for several days.';
  test.each([
    ["2026-12-25", { from: "2026-12-25", to: "2026-12-25", name: "" }],
    ["2026-12-25  Christmas  Day", { from: "2026-12-25", to: "2026-12-25", name: "Christmas Day" }],
    ["2026-12-24 - 2026-12-31 Break", { from: "2026-12-24", to: "2026-12-31", name: "Break" }],
    ["2026-12-24–2026-12-24", { from: "2026-12-24", to: "2026-12-24", name: "" }],
  ])("%j", (text, holiday) => {
    expect(parseHolidays(`\n${text}`)).toEqual({ holidays: [holiday], problems: [] });
  });
  test.each([
    ["Christmas", HOLIDAY],
    ["2026-12-25Christmas", HOLIDAY],
    ["the 2026-12-25", HOLIDAY],
    ["25.12.2026", HOLIDAY],
    ["2026-02-30 x", `2026-02-30 is in no calendar: ${HOLIDAY}`],
    ["2026-02-01 - 2026-02-30", `2026-02-30 is in no calendar: ${HOLIDAY}`],
    ["2026-12-25 - 2026-12-24", "2026-12-24 is before 2026-12-25."],
  ])("%j is a problem that says what to write", (text, message) => {
    expect(parseHolidays(`\n${text}`)).toEqual({ holidays: [], problems: [{ line: 2, message }] });
  });
});

/** Whether the opening times contain a time. */
const isOpen = (at: Date, of: OpeningTimes): boolean => nextOpening(at, of)?.getTime() === at.getTime();

const times = (hours: string, name = "Europe/Berlin", holidays = "", closedUntil = ""): OpeningTimes => ({
  week: parseHours(hours).week,
  holidays: parseHolidays(holidays).holidays,
  closedUntil,
  zone: zoneTimeOf(name),
});

describe("the next opening", () => {
  const WEEK = "Mon-Fri 09:00-12:00, 13:00-17:00";
  test.each([
    ["before work", "2026-01-05T07:59:59Z", times(WEEK), "2026-01-05T08:00:00Z"],
    ["at its beginning", "2026-01-05T08:00:00Z", times(WEEK), "2026-01-05T08:00:00Z"],
    ["while it is open", "2026-01-05T10:59:59Z", times(WEEK), "2026-01-05T10:59:59Z"],
    ["at its end", "2026-01-05T11:00:00Z", times(WEEK), "2026-01-05T12:00:00Z"],
    ["on a Friday evening", "2026-01-09T16:00:00Z", times(WEEK), "2026-01-12T08:00:00Z"],
    ["in New York", "2026-01-05T13:59:00Z", times(WEEK, "America/New_York"), "2026-01-05T14:00:00Z"],
    ["before a holiday", "2026-01-05T17:00:00Z", times(WEEK, "UTC", "2026-01-06 - 2026-01-07"), "2026-01-08T09:00:00Z"],
    ["on a holiday", "2026-01-06T10:00:00Z", times(WEEK, "UTC", "2026-01-06"), "2026-01-07T09:00:00Z"],
    ["in a pause", "2026-01-06T10:00:00Z", times(WEEK, "UTC", "", "2026-01-07"), "2026-01-08T09:00:00Z"],
    ["after a pause", "2026-01-08T10:00:00Z", times(WEEK, "UTC", "", "2026-01-07"), "2026-01-08T10:00:00Z"],
    ["in a long pause", "2026-01-06T10:00:00Z", times(WEEK, "UTC", "", "2030-01-01"), "2030-01-02T09:00:00Z"],
    // Days on which daylight saving time begins or ends.
    ["in spring, Berlin", "2026-03-28T23:00:00Z", times("Sun 09:00-17:00"), "2026-03-29T07:00:00Z"],
    ["in autumn, Berlin", "2026-10-24T22:00:00Z", times("Sun 09:00-17:00"), "2026-10-25T08:00:00Z"],
    [
      "in spring, New York",
      "2026-03-08T05:00:00Z",
      times("Sun 09:00-17:00", "America/New_York"),
      "2026-03-08T13:00:00Z",
    ],
    [
      "in autumn, New York",
      "2026-11-01T04:00:00Z",
      times("Sun 09:00-17:00", "America/New_York"),
      "2026-11-01T14:00:00Z",
    ],
    ["in an hour that is skipped", "2026-03-29T00:30:00Z", times("Sun 02:00-03:00"), "2026-04-05T00:00:00Z"],
    ["in a skipped beginning", "2026-03-29T00:30:00Z", times("Sun 02:30-04:00"), "2026-03-29T01:00:00Z"],
    ["in the second of two hours", "2026-10-25T01:30:00Z", times("Sun 02:00-03:00"), "2026-10-25T01:30:00Z"],
    ["before the second of two half hours", "2026-10-25T01:00:00Z", times("Sun 02:30-03:00"), "2026-10-25T01:30:00Z"],
    ["after the first of two half hours", "2026-10-25T01:00:00Z", times("Sun 02:00-02:30"), "2026-11-01T01:00:00Z"],
  ])("%s", (_, at, of, opening) => {
    const now = new Date(at);
    expect(nextOpening(now, of)?.toISOString()).toBe(new Date(opening).toISOString());
  });

  test.each([
    ["without hours", times("")],
    ["behind holidays without end", times("Mon 09:00-10:00", "UTC", "2026-01-01 - 2036-01-01")],
  ])("does not exist %s", (_, of) => {
    expect(nextOpening(new Date("2026-01-05T09:00:00Z"), of)).toBeUndefined();
  });

  test("is the first open minute after the given time", () => {
    const minute = fc.integer({ min: 0, max: 47 }).map((half) => half * 30);
    const span = fc
      .tuple(fc.constantFrom("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"), minute, minute)
      .filter(([, from, to]) => from < to)
      .map(([day, from, to]) => `${day} ${clockOf(from)}-${clockOf(to)}`);
    fc.assert(
      fc.property(
        fc.array(span, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("Europe/Berlin", "America/New_York", "Australia/Lord_Howe"),
        // Around changes of daylight saving time.
        fc.constantFrom("2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"),
        fc.integer({ min: -96, max: 96 }),
        (spans, name, day, halves) => {
          const of = times(spans.join("\n"), name, day === "2026-10-04" ? "2026-10-05" : "");
          const now = new Date(Date.parse(`${day}T00:00:00Z`) + halves * 1_800_000);
          const opening = nextOpening(now, of);
          expect(opening).toBeDefined();
          if (!opening) return;
          expect(opening >= now && isOpen(opening, of)).toBe(true);
          if (opening > now) expect(isOpen(new Date(opening.getTime() - 1), of)).toBe(false);
          for (let time = now.getTime(); time < opening.getTime(); time += 12 * 1_800_000)
            expect(isOpen(new Date(time), of)).toBe(false);
          // The local time is within the hours.
          const { day: date, minutes } = of.zone.at(opening);
          const hours = of.week[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? [];
          expect(hours.some(({ from, to }) => from <= minutes && minutes < to)).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("the opening times of the settings", () => {
  const settings = (iparams: Record<string, string>) => settingsOf({ time_zone: "Europe/Berlin", ...iparams });
  test("are parsed without the lines that have problems", () => {
    const { week, holidays, closedUntil, problems } = parseOpeningTimes(
      settings({ hours: "Mon 09:00-17:00\nx", holidays: "y\n2026-12-25", closed_until: "2026-01-07" }),
    );
    expect(week[1]).toEqual([{ from: 540, to: 1020 }]);
    expect(holidays).toHaveLength(1);
    expect(closedUntil).toBe("2026-01-07");
    expect(problems).toEqual([
      `Line 2 of the business hours: ${FORM}`,
      expect.stringMatching(/^Line 1 of the holidays: write "2026-12-25 Christmas"/),
    ]);
    const lost = parseOpeningTimes(settings({ time_zone: "Mars/Phobos" }));
    expect(lost.problems).toEqual(['there is no time zone "Mars/Phobos": write Area/Location, such as Europe/Berlin.']);
    expect(lost.zone.at(new Date("2026-01-05T09:00:00Z"))).toEqual({ day: "2026-01-05", minutes: 540 });
    expect(parseOpeningTimes(settings({ closed_until: "soon" })).closedUntil).toBe("");
  });
  test("are formatted as day and time", () => {
    const of = parseOpeningTimes(settings({ holidays: "2026-01-06 Epiphany\n2026-01-07" }));
    expect(localTimeView(of.zone, new Date("2026-01-05T23:30:00Z"))).toEqual({
      day: "Tuesday 6 January",
      time: "00:30",
      date: "2026-01-06",
    });
    const view = openingView(new Date("2026-01-06T10:00:00Z"), new Date("2026-07-06T07:05:00Z"), of);
    expect(view).toEqual({
      opening: {
        day: "Monday 6 July",
        time: "09:05",
        date: "2026-07-06",
        de: { day: "Montag, 6. Juli" },
        es: { day: "lunes, 6 de julio" },
        fr: { day: "lundi 6 juillet" },
        it: { day: "lunedì 6 luglio" },
        nl: { day: "maandag 6 juli" },
        pt: { day: "segunda-feira, 6 de julho" },
      },
      closed: { holiday: "Epiphany" },
    });
    expect(openingView(new Date("2026-01-05T10:00:00Z"), new Date("2026-07-06T07:05:00Z"), of).closed).toEqual({});
  });
});
