import { expect, test } from "@jest/globals";
import { durationWithUnit, isCalendarDay } from "@parley/contract";

test.each([
  ["5s", 5_000],
  ["30d", 2_592_000_000],
  ["1w", undefined],
  ["5", undefined],
  ["1h30m", undefined],
  ["-5s", undefined],
])("a duration of one number with s, m, h or d: %s is %p ms", (text, ms) => {
  expect(durationWithUnit(text, ["s", "m", "h", "d"])).toBe(ms);
});

test.each([
  ["2024-02-29", true],
  ["2025-02-29", false],
  ["2025-04-31", false],
  ["today", false],
])("%s is an existing day: %p", (text, isDay) => {
  expect(isCalendarDay(text)).toBe(isDay);
});
