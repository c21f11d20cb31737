import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import {
  copiedTo,
  dayProblem,
  DAYS,
  holidayProblem,
  isDayText,
  normalizedTime,
  openDays,
  WORKDAYS,
} from "../../src/administration/business-hours/hours-values.ts";
import { hoursForm } from "../../src/administration/business-hours/hours-form.ts";
import { formProblemsOf, formValuesOf, recordOf } from "../../src/forms/schema-form.ts";

const form = hoursForm(undefined, ["Support"]);
const newHours = { ...formValuesOf(form), timezone: "Europe/Berlin" };

test.each([
  ["9", "09:00"],
  [" 9:30 ", "09:30"],
  ["09:30", "09:30"],
  ["0:00", "00:00"],
  ["24:00", "24:00"],
  ["24", "24:00"],
  ["24:01", undefined],
  ["25:00", undefined],
  ["9:60", undefined],
  ["9:3", undefined],
  ["", undefined],
  ["nine", undefined],
  ["9:30 pm", undefined],
])("the time %j is %s", (text, time) => {
  expect(normalizedTime(text)).toBe(time);
});

const spans = (...texts: readonly string[]) =>
  texts.map((text) => {
    const [from = "", to = ""] = text.split("-");
    return { from, to };
  });

describe("the hours of a day", () => {
  test.each([
    ["none", spans()],
    ["all of it", spans("0-24")],
    ["two in order", spans("9-12", "13-18")],
    ["two that touch", spans("9-12", "12-18")],
    ["two in another order", spans("13-18", "9-12")],
  ])("may be %s", (_name, day) => {
    expect(dayProblem(day)).toBeUndefined();
  });
  test.each([
    ["no time", spans("9-"), /Enter times/],
    ["an end before the beginning", spans("18-9"), /must end after/],
    ["an end at the beginning", spans("9-9"), /must end after/],
    ["an overlap", spans("9-13", "12-18"), /overlap/],
    ["one within another", spans("9-18", "10-11"), /overlap/],
    ["more than ten", spans(...Array.from({ length: 11 }, (_, hour) => `${hour}-${hour + 1}`)), /10 times/],
  ])("may not be %s", (_name, day, problem) => {
    expect(dayProblem(day)).toMatch(problem);
    expect(formProblemsOf(form, { ...newHours, week: { ...newHours.week, sunday: day } })).toEqual({
      week: expect.stringMatching(problem),
    });
  });
});

test("hours are saved with sorted spans and holidays, without closed days", () => {
  const week = {
    ...newHours.week,
    monday: spans("13-18", "9-12"),
    tuesday: [],
    wednesday: [],
    thursday: [],
    friday: [],
  };
  expect(recordOf(form, { ...newHours, week, holidays: ["2027-01-01", "2026-12-25"] })).toEqual({
    group: "Support",
    timezone: "Europe/Berlin",
    week: {
      monday: [
        { from: "09:00", to: "12:00" },
        { from: "13:00", to: "18:00" },
      ],
    },
    holidays: ["2026-12-25", "2027-01-01"],
  });
});

test("hours whose form is saved unchanged stay as they are", () => {
  const hours = { timezone: "UTC", week: { saturday: [{ from: "10:00", to: "24:00" }] } };
  expect(recordOf(form, formValuesOf(form, hours))).toEqual(hours);
});

test("the hours of a day are copied to the chosen days only", () => {
  const { week } = newHours;
  const copied = copiedTo({ ...week, saturday: spans("10-12") }, "saturday", WORKDAYS);
  expect(DAYS.filter((day) => copied[day][0]?.from === "10")).toEqual([...WORKDAYS, "saturday"]);
  expect(copied.sunday).toEqual([]);
});

test("open days with the same hours are described together, and only neighbours", () => {
  const { week } = newHours;
  const ranges = openDays({ ...week, wednesday: [], sunday: week.monday }).map(({ first, last }) => [first, last]);
  expect(ranges).toEqual([
    ["monday", "tuesday"],
    ["thursday", "friday"],
    ["sunday", "sunday"],
  ]);
});

test.each([
  ["2026-12-25", true],
  ["2028-02-29", true],
  ["2027-02-29", false],
  ["2026-13-01", false],
  ["25.12.2026", false],
  ["", false],
])("%j is a day: %s", (text, expected) => {
  expect(isDayText(text)).toBe(expected);
});

test("a holiday is refused if it is not a day, is in the list, or exceeds the maximum", () => {
  const many = Array.from({ length: 400 }, (_, day) => `${day}`);
  expect([holidayProblem([], "2026-12-25"), holidayProblem([], "")]).toEqual([
    undefined,
    expect.stringContaining("exists"),
  ]);
  expect(holidayProblem(["2026-12-25"], "2026-12-25")).toMatch(/already/);
  expect(holidayProblem(many, "2026-12-25")).toMatch(/400/);
});
