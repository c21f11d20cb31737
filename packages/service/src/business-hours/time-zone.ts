/** The clock of one timezone. @units milliseconds since the epoch */
export interface TimeZone {
  /** How far its clock is ahead of UTC at an instant. @units milliseconds */
  offsetAt(instant: number): number;
  /** The first instant at which its clock shows a wall time, or a later one where that is skipped. @shape wall: as if it were UTC's */
  instantOf(wall: number): number;
}

/** Further than any clock was ever ahead, behind, or put forward. */
const FAR = 48 * 3_600_000;

const OFFSET = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** `GMT-04:56:02` -> milliseconds */
const offsetOf = (name: string): number => {
  const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(name) ?? [];
  const size = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -size : size;
};

/** -> the first instant after `before` that has the offset of `after` on, which the clock was put to in one step. */
const stepBetween = (before: number, after: number, offsetAt: TimeZone["offsetAt"]): number => {
  const last = offsetAt(after);
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === last) high = middle;
    else low = middle;
  }
  return high;
};

/** @errors RangeError for a name that is no timezone */
export const timeZoneOf = (timezone: string): TimeZone => {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  const offsetAt = (instant: number): number =>
    offsetOf(format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "GMT");
  return {
    offsetAt,
    instantOf(wall) {
      const offsets = [offsetAt(wall - FAR), offsetAt(wall + FAR)].sort((a, b) => b - a);
      const shows = offsets.map((offset) => wall - offset).find((instant) => instant + offsetAt(instant) === wall);
      if (shows !== undefined) return shows;
      const [ahead = 0, behind = 0] = offsets;
      return stepBetween(wall - ahead, wall - behind, offsetAt);
    },
  };
};

/** Whether it is a name of the IANA database. The offsets that JavaScript takes too are none. */
export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Z]/i.test(name);
  } catch {
    return false;
  }
};
