/** Numbers and times of a locale. */
export interface Format {
  number(value: number): string;
  timeOfDay(time: string): string;
  /** `today`, `yesterday`, or the date with its weekday. */
  day(time: string): string;
  /** For lists: the time of day for today, else the day. */
  listTime(time: string): string;
  dateTime(time: string): string;
  /** @units bytes */
  size(bytes: number): string;
}

const DAY_MS = 86_400_000;

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Whether two times are on the same day of this device. */
export const isSameDay = (one: string, other: string): boolean =>
  startOfDay(new Date(one)) === startOfDay(new Date(other));

/**
 * @shape tag: of `shownLocale`
 * @assumed Digits are 0 to 9 and years are those of the Gregorian calendar in every locale, also where Arabic has others by default: order numbers,
 * addresses and prices in messages are written so.
 */
export const formatOf = (tag: string): Format => {
  const locale = new Intl.Locale(tag, { numberingSystem: "latn", calendar: "gregory" });
  const timeOfDay = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
  const longDay = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long" });
  const shortDay = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  const dayOfYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const relativeDay = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const sizes = (["byte", "kilobyte", "megabyte"] as const).map(
    (unit) => new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }),
  );
  return {
    number: (value) => numbers.format(value),
    timeOfDay: (time) => timeOfDay.format(new Date(time)),
    day: (time) => {
      const date = new Date(time);
      const days = Math.round((startOfDay(date) - startOfDay(new Date())) / DAY_MS);
      return Math.abs(days) > 1 ? longDay.format(date) : relativeDay.format(days, "day");
    },
    listTime: (time) => {
      const date = new Date(time);
      const now = new Date();
      if (startOfDay(date) === startOfDay(now)) return timeOfDay.format(date);
      return (date.getFullYear() === now.getFullYear() ? shortDay : dayOfYear).format(date);
    },
    dateTime: (time) => dateTime.format(new Date(time)),
    size: (bytes) => {
      // In the units of the limits, whose figures are round in them: 25 MB are 26,214,400 bytes.
      const power = bytes < 1_024 ? 0 : bytes < 1_048_576 ? 1 : 2;
      return sizes[power]?.format(bytes / 1_024 ** power) ?? "";
    },
  };
};
