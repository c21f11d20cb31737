import type { BusinessHours } from "@parley/contract";
import type { TimeZone } from "@parley/contract/display";

/** Whether the business is open, and until when; undefined: no change within the days ahead. @units milliseconds since the epoch */
interface Opening {
  readonly isOpen: boolean;
  readonly until: number | undefined;
}

/** A time range: the start is included, the end is not. */
type Period = readonly [number, number];

const DAY_MS = 86_400_000;
/** A schedule's maximum number of consecutive holidays, and more than a week. */
const DAYS_AHEAD = 410;
const WEEK = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

/** `09:30` -> milliseconds since midnight */
const sinceMidnight = (clock: string): number => {
  const [hours, minutes] = clock.split(":").map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000;
};

/**
 * The opening periods of a day. @shape day: its midnight as if the time zone were UTC
 * @assumed Hours that end before they begin continue until that time of the next day, and belong to the day on which they began. A time that
 * the clock skips denotes the moment of the change; a time that occurs twice denotes the first occurrence.
 */
const periodsOf = ({ week, holidays = [] }: BusinessHours, zone: TimeZone, day: number): Period[] => {
  const date = new Date(day);
  if (holidays.includes(date.toISOString().slice(0, 10))) return [];
  const hours = week[WEEK[date.getUTCDay()] ?? "sunday"] ?? [];
  return hours
    .map(({ from, to }): Period => {
      const [first, last] = [sinceMidnight(from), sinceMidnight(to)];
      return [zone.instantOf(day + first), zone.instantOf(day + (last < first ? last + DAY_MS : last))];
    })
    .filter(([from, to]) => from < to)
    .sort(([a], [b]) => a - b);
};

/** Whether a schedule is open at an instant, and when that changes next. */
export const openStateAt = (hours: BusinessHours, zone: TimeZone, instant: number): Opening => {
  const today = Math.floor((instant + zone.offsetAt(instant)) / DAY_MS) * DAY_MS;
  /** End of the current opening, as far as it is known; undefined: closed. */
  let end: number | undefined;
  // Hours of two days ago may extend over midnight and over a day that the clock skips.
  for (let ahead = -2; ahead <= DAYS_AHEAD; ahead += 1)
    for (const [from, to] of periodsOf(hours, zone, today + ahead * DAY_MS)) {
      if (to <= instant) continue;
      if (end === undefined && from > instant) return { isOpen: false, until: from };
      if (end !== undefined && from > end) return { isOpen: true, until: end };
      end = Math.max(end ?? to, to);
    }
  // Adjacent periods without a gap until the last day: open without an end.
  const isEndless = end !== undefined && end >= today + (DAYS_AHEAD - 1) * DAY_MS;
  return { isOpen: end !== undefined, until: isEndless ? undefined : end };
};
