/** Offsets of a time zone. @units milliseconds since the epoch */
export interface TimeZone {
  /** Offset from UTC at an instant, positive to the east. @units milliseconds */
  offsetAt(instant: number): number;
  /** The first instant with a wall time, or the instant of the change if the clock skips it. @shape wall: the wall time as if it were UTC */
  instantOf(wall: number): number;
}

/** Larger than any offset and any change of a clock. */
const SHIFT_MS_MAX = 48 * 3_600_000;

const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** `GMT-04:56:02` -> milliseconds */
const offsetOf = (name: string): number => {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(name) ?? [];
  const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -size : size;
};

/** Finds the instant of a change by bisection. -> the first instant after `before` with the offset at `after` */
const changeBetween = (before: number, after: number, offsetAt: TimeZone["offsetAt"]): number => {
  const last = offsetAt(after);
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === last) high = middle;
    else low = middle;
  }
  return high;
};

const UTC: TimeZone = { offsetAt: () => 0, instantOf: (wall) => wall };

/** @errors RangeError for an unknown time zone */
export const timeZoneOf = (timezone: string): TimeZone => {
  if (timezone === "UTC") return UTC;
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  const offsetAt = (instant: number): number =>
    offsetOf(format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "GMT");
  return {
    offsetAt,
    instantOf(wall) {
      const offsets = [offsetAt(wall - SHIFT_MS_MAX), offsetAt(wall + SHIFT_MS_MAX)].sort((a, b) => b - a);
      const exact = offsets.map((offset) => wall - offset).find((instant) => instant + offsetAt(instant) === wall);
      if (exact !== undefined) return exact;
      const [ahead = 0, behind = 0] = offsets;
      return changeBetween(wall - ahead, wall - behind, offsetAt);
    },
  };
};

/** @errors RangeError for an unknown time zone */
type TimeZoneCache = (timezone: string) => TimeZone;

/** Caches time zones: creating a formatter takes longer than the rest of a request. */
export const createTimeZoneCache = (): TimeZoneCache => {
  const cache = new Map<string, TimeZone>();
  return (timezone) => {
    const zone = cache.get(timezone) ?? timeZoneOf(timezone);
    cache.set(timezone, zone);
    return zone;
  };
};

/** Whether a name is in the IANA database. Offsets such as +01:00, which JavaScript accepts too, are refused. */
export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Z]/i.test(name);
  } catch {
    return false;
  }
};
