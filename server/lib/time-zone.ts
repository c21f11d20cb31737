/** A day of the calendar. @shape 2026-12-31 */
export type Day = string;

/** @units milliseconds */
const DAY_MS = 86_400_000;

export const startOfDay = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
export const dayAt = (time: number): Day => new Date(time).toISOString().slice(0, 10);

/** Whether the calendar contains the day: it does not contain 2026-02-30. */
export const isDay = (text: string): boolean => {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? startOfDay(text) : NaN;
  return !Number.isNaN(time) && dayAt(time) === text;
};

export const daysAfter = (day: Day, days: number): Day => dayAt(startOfDay(day) + days * DAY_MS);

/** 0 for Sunday. */
export const weekdayOf = (day: Day): number => new Date(startOfDay(day)).getUTCDay();

/** Area/Location, or UTC: short names such as EST have no daylight saving time, and some runtimes don't know forms such as +02:00. */
const ZONE_NAME = /^(?:UTC|[a-z][\w+-]*(?:\/[\w+-]+)+)$/i;

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return ZONE_NAME.test(name);
  } catch {
    return false;
  }
};

const SUGGESTIONS_MAX = 3;
/** Maximum edit distance between an unknown name and a suggested name. */
const EDIT_DISTANCE_MAX = 2;

const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");
const cityOf = (name: string): string => lettersOf(name.split("/").at(-1) ?? "");

/** Returns the edit distance of two names. */
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

/** -> suggested names that contain the city or resemble it, most similar first */
const suggestionsFor = (name: string): string[] => {
  const city = cityOf(name);
  return Intl.supportedValuesOf("timeZone")
    .map((zone) => ({ zone, far: cityOf(zone).startsWith(city) ? 0 : distance(cityOf(zone), city) }))
    .filter(({ far }) => city.length > EDIT_DISTANCE_MAX && far <= EDIT_DISTANCE_MAX)
    .sort((one, other) => one.far - other.far)
    .slice(0, SUGGESTIONS_MAX)
    .map(({ zone }) => zone);
};

/** -> the problem with the name of a time zone; undefined for a valid name */
export function zoneProblem(name: string): string | undefined {
  if (isZone(name)) return undefined;
  const suggestions = suggestionsFor(name);
  return suggestions.length > 0
    ? `there is no time zone "${name}". Is it ${suggestions.join(" or ")}?`
    : `there is no time zone "${name}": write Area/Location, such as Europe/Berlin.`;
}

/** @units milliseconds */
const MINUTE_MS = 60_000;

/** The local time of a time zone, with its daylight saving time. */
export interface ZoneTime {
  /** Returns the local day and time. @units minutes: since midnight */
  at(time: Date): { readonly day: Day; readonly minutes: number };
  /**
   * Returns the time at which the local time is `minutes` on a day. For a local time that occurs twice, as in autumn, it is the first moment,
   * or the last moment if requested; for a local time that is skipped, as in spring, it is the moment of the change.
   * @units minutes: since midnight; 1440 is the next day's midnight
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

/** Whether a text is the name of a time zone: Area/Location, or UTC. Short names such as EST, which have no daylight saving time, are refused. */
export const isKnownTimeZone = (text: string): boolean => {
  if (!text.includes("/") && text !== "UTC") return false;
  try {
    formatOf(text);
    return true;
  } catch {
    return false;
  }
};

/** Returns UTC for an unknown name, which would make the rendering of every message fail. */
export const usableZone = (name: string): string => (isKnownTimeZone(name) ? name : "UTC");

/** @errors RangeError for an unknown time zone */
export const zoneTimeOf = (timeZone: string): ZoneTime => {
  const format = formatOf(timeZone);
  /** Returns the local time as if it were UTC. */
  const localTimeAt = (time: number): number => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    return Date.UTC(year, month - 1, day, hour, minute);
  };
  /** Returns the first time at which the local time is later than the wanted time. */
  const afterGap = (wanted: number, before: number, after: number): number => {
    let [low, high] = [before, after];
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / MINUTE_MS / 2) * MINUTE_MS;
      if (localTimeAt(middle) < wanted) low = middle;
      else high = middle;
    }
    return high;
  };
  return {
    at(time) {
      const clock = localTimeAt(time.getTime());
      return { day: dayAt(clock), minutes: (clock % DAY_MS) / MINUTE_MS };
    },
    timeOf(day, minutes, which = "first") {
      const wanted = startOfDay(day) + minutes * MINUTE_MS;
      // Uses the offsets from UTC a day before and a day after: if they are equal, there is no change in between.
      const [one = wanted, other = wanted] = [wanted - DAY_MS, wanted + DAY_MS].map(
        (time) => wanted - (localTimeAt(time) - time),
      );
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      const found = (which === "first" ? [first, last] : [last, first]).find((time) => localTimeAt(time) === wanted);
      return new Date(found ?? afterGap(wanted, first, last));
    },
  };
};
