import type { BusinessHours } from "@parley/contract";
import type { TimeZone } from "./time-zone.ts";

/** Whether it is open, and when that ends; undefined: not within the days that are looked at. @units milliseconds since the epoch */
interface Opening {
  readonly isOpen: boolean;
  readonly until: number | undefined;
}

/** From an instant to another one, the second excluded. */
type Period = readonly [number, number];

const DAY = 86_400_000;
/** As many holidays as a schedule holds may follow each other, and a week after them. */
const DAYS_AHEAD = 410;
const WEEK = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

/** `09:30` -> milliseconds since midnight by the clock */
const sinceMidnight = (clock: string): number => {
  const [hours, minutes] = clock.split(":").map(Number);
  return ((hours ?? 0) * 60 + (minutes ?? 0)) * 60_000;
};

/**
 * When it is open on a day. @shape day: its midnight, as if its clock were UTC's
 * @assumed Hours that end before they begin go on until that time of the next day, and belong to the day on which they began. A time
 * that the clock skips is the moment at which it is put forward, one that it shows twice the first of the two.
 */
const periodsOf = ({ week, holidays = [] }: BusinessHours, zone: TimeZone, day: number): Period[] => {
  const date = new Date(day);
  if (holidays.includes(date.toISOString().slice(0, 10))) return [];
  const hours = week[WEEK[date.getUTCDay()] ?? "sunday"] ?? [];
  return hours
    .map(({ from, to }): Period => {
      const [first, last] = [sinceMidnight(from), sinceMidnight(to)];
      return [zone.instantOf(day + first), zone.instantOf(day + (last < first ? last + DAY : last))];
    })
    .filter(([from, to]) => from < to)
    .sort(([a], [b]) => a - b);
};

/** Tells of an instant by the hours of a schedule. */
export const openStateAt = (hours: BusinessHours, zone: TimeZone, instant: number): Opening => {
  const today = Math.floor((instant + zone.offsetAt(instant)) / DAY) * DAY;
  /** While it is open: up to when, as far as is known. */
  let end: number | undefined;
  // Hours of two days ago may go on over midnight, and over a day that the clock skips.
  for (let ahead = -2; ahead <= DAYS_AHEAD; ahead += 1)
    for (const [from, to] of periodsOf(hours, zone, today + ahead * DAY)) {
      if (to <= instant) continue;
      if (end === undefined && from > instant) return { isOpen: false, until: from };
      if (end !== undefined && from > end) return { isOpen: true, until: end };
      end = Math.max(end ?? to, to);
    }
  // Hours without an end follow each other to the last day that is looked at.
  const isEndless = end !== undefined && end >= today + (DAYS_AHEAD - 1) * DAY;
  return { isOpen: end !== undefined, until: isEndless ? undefined : end };
};
