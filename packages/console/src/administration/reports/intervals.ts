import type { MetricInterval } from "@parley/contract";
import { currentLanguage, formOf } from "../../i18n/language.ts";
import { reportMessages as texts } from "./messages.ts";

const locale = formOf(currentLanguage(), navigator.languages);
/** Intervals are aligned in UTC, so they are named in UTC too. */
const utc = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });

const hour = utc({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const day = utc({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
const date = utc({ day: "numeric", month: "short", year: "numeric" });
const month = utc({ month: "long", year: "numeric" });
const shortDay = utc({ day: "numeric", month: "short" });
const shortHour = utc({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const shortMonth = utc({ month: "short", year: "numeric" });

/** The name of an interval in a table. @shape start: as the API sends it */
export const intervalName = (start: string, interval: MetricInterval): string => {
  const time = new Date(start);
  switch (interval) {
    case "1h":
      return hour.format(time);
    case "1d":
      return day.format(time);
    case "1W":
      return texts.weekFrom(date.format(time));
    case "1M":
      return month.format(time);
  }
};

const TICKS: Readonly<Record<MetricInterval, Intl.DateTimeFormat>> = {
  "1h": shortHour,
  "1d": shortDay,
  "1W": shortDay,
  "1M": shortMonth,
};

/** The short name below an axis. */
export const intervalTick = (start: string, interval: MetricInterval): string =>
  TICKS[interval].format(new Date(start));

/** -> which of the intervals have a text below the axis, so that the texts don't touch. @units width, textWidth: pixels */
export const tickIndexes = (count: number, width: number, textWidth: number): readonly number[] => {
  const places = Math.max(1, Math.floor(width / textWidth));
  const step = Math.ceil(count / places);
  return Array.from({ length: count }, (_, index) => index).filter((index) => index % step === 0);
};

/** Days of a range for the name of a file, the last one included. @shape range: as the API sends it */
export const fileSpan = ({ start, end }: { readonly start: string; readonly end: string }): string =>
  `${start.slice(0, 10)}_${new Date(Date.parse(end) - 1).toISOString().slice(0, 10)}`;
