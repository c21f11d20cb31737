import type { MetricInterval } from "@parley/contract";
import { currentLanguage, regionalFormOf } from "../../i18n/language.ts";
import { reportMessages as texts } from "./messages.ts";
import type { ReportZone } from "./time-zone.ts";

const locale = regionalFormOf(currentLanguage(), navigator.languages);
interface IntervalFormats {
  readonly names: Readonly<Record<MetricInterval, (time: Date) => string>>;
  readonly ticks: Readonly<Record<MetricInterval, (time: Date) => string>>;
}

const createFormats = (timeZone: string): IntervalFormats => {
  const format = (options: Intl.DateTimeFormatOptions): ((time: Date) => string) => {
    const formatter = new Intl.DateTimeFormat(locale, { ...options, timeZone });
    return (time) => formatter.format(time);
  };
  const date = format({ day: "numeric", month: "short", year: "numeric" });
  const shortDay = format({ day: "numeric", month: "short" });
  return {
    names: {
      "1h": format({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" }),
      "1d": format({ weekday: "short", day: "numeric", month: "short", year: "numeric" }),
      "1W": (time) => texts.weekFrom(date(time)),
      "1M": format({ month: "long", year: "numeric" }),
    },
    ticks: {
      "1h": format({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" }),
      "1d": shortDay,
      "1W": shortDay,
      "1M": format({ month: "short", year: "numeric" }),
    },
  };
};

const formats = new Map<string, IntervalFormats>();
const formatsOf = ({ name }: ReportZone): IntervalFormats => {
  const found = formats.get(name) ?? createFormats(name);
  formats.set(name, found);
  return found;
};

/** The name of an interval in a table. @shape start: as the API sends it */
export const intervalName = (start: string, interval: MetricInterval, zone: ReportZone): string =>
  formatsOf(zone).names[interval](new Date(start));

/** The short name below an axis. */
export const intervalTick = (start: string, interval: MetricInterval, zone: ReportZone): string =>
  formatsOf(zone).ticks[interval](new Date(start));

/** -> which of the intervals have a text below the axis, so that the texts don't touch. @units width, textWidth: pixels */
export const tickIndexes = (count: number, width: number, textWidth: number): readonly number[] => {
  const places = Math.max(1, Math.floor(width / textWidth));
  const step = Math.ceil(count / places);
  return Array.from({ length: count }, (_, index) => index).filter((index) => index % step === 0);
};

/** Days of a range for the name of a file, the last one included. @shape range: as the API sends it */
export const fileSpan = ({ start, end }: { readonly start: string; readonly end: string }, zone: ReportZone): string =>
  `${zone.dayOf(Date.parse(start))}_${zone.dayOf(Date.parse(end) - 1)}`;
