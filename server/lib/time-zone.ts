import { DAY, dayAt, startOfDay, type Day } from "./days.ts";

/** Area/Location, or UTC: short names such as EST know no summer time, and forms such as +02:00 are unknown to some runtimes. */
const FORM = /^(?:UTC|[a-z][\w+-]*(?:\/[\w+-]+)+)$/i;

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return FORM.test(name);
  } catch {
    return false;
  }
};

const SUGGESTIONS_MAX = 3;
/** Letters that may be wrong in a name that was meant. */
const EDIT_DISTANCE_MAX = 2;

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");
const cityOf = (name: string): string => lettersOf(name.split("/").at(-1) ?? "");

/** How many letters must be put in, taken out or changed. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let above = 0; above < one.length; above++) {
    const next = [above + 1];
    for (let left = 0; left < other.length; left++) {
      const changed = (row[left] ?? 0) + (one[above] === other[left] ? 0 : 1);
      next.push(Math.min(changed, (row[left + 1] ?? 0) + 1, (next[left] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** -> names that may have been meant: by their city, in part or with a slip, the nearest first */
const near = (name: string): string[] => {
  const wanted = cityOf(name);
  return Intl.supportedValuesOf("timeZone")
    .map((zone) => ({ zone, far: cityOf(zone).startsWith(wanted) ? 0 : distance(cityOf(zone), wanted) }))
    .filter(({ far }) => wanted.length > EDIT_DISTANCE_MAX && far <= EDIT_DISTANCE_MAX)
    .sort((one, other) => one.far - other.far)
    .slice(0, SUGGESTIONS_MAX)
    .map(({ zone }) => zone);
};

/** -> what is wrong with the name of a time zone, undefined when nothing is */
export function zoneProblem(name: string): string | undefined {
  if (isZone(name)) return undefined;
  const meant = near(name);
  return meant.length > 0
    ? `there is no time zone "${name}". Is it ${meant.join(" or ")}?`
    : `there is no time zone "${name}": write Area/Location, such as Europe/Berlin.`;
}

/** @units milliseconds */
const MINUTE = 60_000;

/** The clock on the wall in a time zone, with its summer time. */
export interface ZoneTime {
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
export const isKnownTimeZone = (text: string): boolean => {
  if (!text.includes("/") && text !== "UTC") return false;
  try {
    formatOf(text);
    return true;
  } catch {
    return false;
  }
};

/** The zone by which clocks are read: a name that stands for none would keep every message from being rendered. */
export const usableZone = (name: string): string => (isKnownTimeZone(name) ? name : "UTC");

/** @errors RangeError where there is no such zone */
export const zoneTimeOf = (timeZone: string): ZoneTime => {
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
      const wanted = startOfDay(day) + minutes * MINUTE;
      // By the clock's distance from UTC a day before, and a day after: a change lies between them or there is none.
      const [one = wanted, other = wanted] = [wanted - DAY, wanted + DAY].map((time) => wanted - (shown(time) - time));
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      const found = (which === "first" ? [first, last] : [last, first]).find((time) => shown(time) === wanted);
      return new Date(found ?? afterGap(wanted, first, last));
    },
  };
};
