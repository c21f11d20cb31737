import { currentLanguage, regionalFormOf } from "./language.ts";

const locale = regionalFormOf(currentLanguage(), navigator.languages);
const timeOfDay = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const dayAndMonth = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
const longDay = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const dateAndTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const numbers = new Intl.NumberFormat(locale);
const durations = (["minute", "hour", "day"] as const).map(
  (unit) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "narrow" }),
);
const bytes = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

export const formatNumber = (value: number): string => numbers.format(value);
export const formatTimeOfDay = (time: string): string => timeOfDay.format(new Date(time));
export const formatDateTime = (time: string): string => dateAndTime.format(new Date(time));
export const formatDay = (time: string): string => longDay.format(new Date(time));

/** Time of day for today, else the day: a short text for lists. @shape now: milliseconds of the epoch */
export const formatListTime = (time: string, now: number): string => {
  const date = new Date(time);
  if (startOfDay(date) === startOfDay(new Date(now))) return timeOfDay.format(date);
  return date.getFullYear() === new Date(now).getFullYear() ? dayAndMonth.format(date) : dayOfYear.format(date);
};

/** Time since another time, in the largest unit that fits: `<1m`, `5m`, `3h`. @shape now: milliseconds of the epoch */
export const formatDuration = (time: string, now: number): string => {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  const [unit, size] = minutes < 60 ? [0, 1] : minutes < 24 * 60 ? [1, 60] : [2, 24 * 60];
  const text = durations[unit]?.format(Math.max(1, Math.floor(minutes / size))) ?? "";
  return minutes < 1 ? `<${text}` : text;
};

/** Whether two times are on the same day of this device. */
export const isSameDay = (one: string, other: string): boolean =>
  startOfDay(new Date(one)) === startOfDay(new Date(other));

const KILOBYTE_BYTES = 1_024;
const MEGABYTE_BYTES = 1_048_576;

/** A size in the units of the limits, whose figures are round in them: 25 MB are 26,214,400 bytes. @units size: bytes */
export const formatSize = (size: number): string => {
  if (size < KILOBYTE_BYTES) return `${size} B`;
  return size < MEGABYTE_BYTES
    ? `${bytes.format(size / KILOBYTE_BYTES)} kB`
    : `${bytes.format(size / MEGABYTE_BYTES)} MB`;
};

const languageNames = new Intl.DisplayNames([currentLanguage()], { type: "language" });

/** -> the name of a language in the language of the page; the locale itself if it has no name */
export const languageName = (locale: string): string => {
  try {
    return languageNames.of(locale) ?? locale;
  } catch {
    return locale;
  }
};
