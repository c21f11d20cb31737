/** Numbers, times and the direction of writing of a locale. */
export interface Format {
  readonly locale: string;
  readonly direction: "ltr" | "rtl";
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

/** Languages that are written from right to left, for browsers without `Intl.Locale.prototype.getTextInfo`. */
const RIGHT_TO_LEFT = /^(?:ar|arc|ckb|dv|fa|he|ks|ps|sd|ug|ur|yi)\b/i;
const DAY_MS = 86_400_000;

const startOfDay = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Whether two times are on the same day of this device. */
export const isSameDay = (one: string, other: string): boolean =>
  startOfDay(new Date(one)) === startOfDay(new Date(other));

/** -> the locale if browsers know it, else English */
const knownLocale = (locale: string): string => {
  try {
    return new Intl.Locale(locale.replaceAll("_", "-")).toString();
  } catch {
    return "en";
  }
};

export const formatOf = (wantedLocale: string): Format => {
  const locale = knownLocale(wantedLocale);
  const timeOfDay = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit" });
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
    locale,
    direction: RIGHT_TO_LEFT.test(locale) ? "rtl" : "ltr",
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
