import { ADMIN_VALUES } from "../contract-values.ts";
import { hoursMessages as texts } from "./messages.ts";

/** The days of a week in the contract. */
export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Weekday = (typeof DAYS)[number];

/** Opening hours of a day, as they were entered. */
export interface OpeningSpan {
  readonly from: string;
  readonly to: string;
}

export type Week = Readonly<Record<Weekday, readonly OpeningSpan[]>>;

const { day_spans: spansMax, holidays: holidaysMax } = ADMIN_VALUES.accountLimits;
const CLOCK = new RegExp(ADMIN_VALUES.accountPatterns.clock);
const CALENDAR_DAY = new RegExp(ADMIN_VALUES.accountPatterns.calendar_day);

export const weekOf = (spansOf: (day: Weekday) => readonly OpeningSpan[]): Week =>
  Object.fromEntries(DAYS.map((day) => [day, spansOf(day)])) as unknown as Week;

/** `9`, `9:30` or `09:30` -> `09:30`; undefined for a text that is not a time of day. 24:00 is the end of the day. */
export const normalizedTime = (text: string): string | undefined => {
  const [, hours, minutes = "00"] = /^\s*(\d{1,2})(?::(\d{2}))?\s*$/.exec(text) ?? [];
  const time = `${(hours ?? "").padStart(2, "0")}:${minutes}`;
  return hours !== undefined && CLOCK.test(time) ? time : undefined;
};

const byStart = (one: OpeningSpan, other: OpeningSpan): number => one.from.localeCompare(other.from);

export const normalizedSpans = (spans: readonly OpeningSpan[]): readonly OpeningSpan[] =>
  spans.map(({ from, to }) => ({ from: normalizedTime(from) ?? from, to: normalizedTime(to) ?? to })).toSorted(byStart);

/** -> why the hours of a day can't be saved */
export const dayProblem = (spans: readonly OpeningSpan[]): string | undefined => {
  if (spans.length > spansMax) return texts.tooManySpans(spansMax);
  if (spans.some(({ from, to }) => normalizedTime(from) === undefined || normalizedTime(to) === undefined))
    return texts.noTime;
  const sorted = normalizedSpans(spans);
  if (sorted.some(({ from, to }) => from >= to)) return texts.endsBefore;
  return sorted.some(({ from }, index) => from < (sorted[index - 1]?.to ?? "")) ? texts.overlap : undefined;
};

/** Whether a text is an existing day as YYYY-MM-DD. */
export const isDayText = (text: string): boolean => {
  const time = CALENDAR_DAY.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

/** -> why a day can't be added to the holidays */
export const holidayProblem = (holidays: readonly string[], day: string): string | undefined => {
  if (!isDayText(day)) return texts.noDay;
  if (holidays.includes(day)) return texts.dayTwice;
  return holidays.length >= holidaysMax ? texts.tooManyHolidays(holidaysMax) : undefined;
};

/** -> the week with the hours of one day on other days too */
export const copiedTo = (week: Week, day: Weekday, others: readonly Weekday[]): Week =>
  weekOf((each) => (others.includes(each) ? week[day] : week[each]));

export const WORKDAYS: readonly Weekday[] = ["monday", "tuesday", "wednesday", "thursday", "friday"];

/** Days one after the other with the same hours, for a short description. */
interface DayRange {
  readonly first: Weekday;
  readonly last: Weekday;
  readonly spans: readonly OpeningSpan[];
}

/** `09:00–12:00, 13:00–17:00` */
export const spansText = (spans: readonly OpeningSpan[]): string =>
  spans.map(({ from, to }) => `${from}–${to}`).join(", ");

/** -> the open days, those with the same hours together */
export const openDays = (week: Week): readonly DayRange[] => {
  const ranges: DayRange[] = [];
  let before: Weekday | undefined;
  for (const day of DAYS) {
    const spans = week[day];
    const last = ranges.at(-1);
    if (spans.length > 0 && last && last.last === before && spansText(last.spans) === spansText(spans))
      ranges[ranges.length - 1] = { ...last, last: day };
    else if (spans.length > 0) ranges.push({ first: day, last: day, spans });
    before = day;
  }
  return ranges;
};
