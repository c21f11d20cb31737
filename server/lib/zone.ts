import { DAY, dayAt, startOf, type Day } from "./days.ts";

/** @units milliseconds */
const MINUTE = 60_000;

/** The clock on the wall in a time zone, with its summer time. */
export interface Zone {
  /** What it shows. @units minutes: since midnight */
  at(time: Date): { readonly day: Day; readonly minutes: number };
  /**
   * When it shows a time of a day. One that it shows twice, as in autumn, is its first, or its last where that is asked for; one that it
   * skips, as in spring, is the moment to which it skips.
   * @units minutes: since midnight; 1440 is the next day's
   */
  timeOf(day: Day, minutes: number, which?: "first" | "last"): Date;
}

const formatOf = (timeZone: string) =>
  new Intl.DateTimeFormat("en", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });

/** Whether it is a time zone's name: Area/Location, or UTC. Short names such as EST know no summer time, and are refused. */
export const isTimeZone = (text: string): boolean => {
  if (!text.includes("/") && text !== "UTC") return false;
  try {
    formatOf(text);
    return true;
  } catch {
    return false;
  }
};

/** The zone by which clocks are read: a name that stands for none would keep every message from being rendered. */
export const usableZone = (name: string): string => (isTimeZone(name) ? name : "UTC");

/** @errors RangeError where there is no such zone */
export const zone = (timeZone: string): Zone => {
  const format = formatOf(timeZone);
  /** What the clock shows, as if it were UTC. */
  const shown = (time: number): number => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute);
  };
  /** The first time from which on the clock shows more than is wanted. */
  const afterGap = (wanted: number, before: number, after: number): number => {
    let [low, high] = [before, after];
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / MINUTE / 2) * MINUTE;
      if (shown(middle) < wanted) low = middle;
      else high = middle;
    }
    return high;
  };
  return {
    at(time) {
      const clock = shown(time.getTime());
      return { day: dayAt(clock), minutes: (clock % DAY) / MINUTE };
    },
    timeOf(day, minutes, which = "first") {
      const wanted = startOf(day) + minutes * MINUTE;
      // By the clock's distance from UTC a day before, and a day after: a change lies between them or there is none.
      const [one = wanted, other = wanted] = [wanted - DAY, wanted + DAY].map((time) => wanted - (shown(time) - time));
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      const found = (which === "first" ? [first, last] : [last, first]).find((time) => shown(time) === wanted);
      return new Date(found ?? afterGap(wanted, first, last));
    },
  };
};
