import { daysAfter, weekdayOf, type Day } from "./days.ts";
import { holidayOn, type Holiday } from "./holidays.ts";
import type { OpeningHours } from "./opening-hours.ts";
import type { ZoneTime } from "./time-zone.ts";

/** When a business is open. */
export interface Times {
  readonly week: OpeningHours;
  readonly holidays: readonly Holiday[];
  /** The last day of a pause that has begun, or empty. */
  readonly closedUntil: Day;
  readonly zone: ZoneTime;
}

/** Nobody waits longer. @units days */
const FURTHEST = 1_500;

const isWorkday = (day: Day, { closedUntil, holidays }: Times): boolean =>
  day > closedUntil && !holidayOn(day, holidays);

/**
 * When the business is open next: at the time itself where it is open then.
 * @returns undefined when that isn't within four years
 */
export function nextOpening(at: Date, times: Times): Date | undefined {
  const { week, zone } = times;
  // From the day before: a clock that is put back over midnight shows a day again.
  const first = daysAfter(zone.at(at).day, -1);
  for (let ahead = 0; ahead <= FURTHEST; ahead++) {
    const day = daysAfter(first, ahead);
    if (!isWorkday(day, times)) continue;
    for (const { from, to } of week[weekdayOf(day)] ?? []) {
      const [opens, closes] = [zone.timeOf(day, from), zone.timeOf(day, to)];
      if (opens >= closes || closes <= at) continue;
      if (opens > at) return opens;
      // Put back, the clock may show a time before the hours that had begun: they begin once more.
      const shown = zone.at(at);
      const isBefore = shown.day < day || (shown.day === day && shown.minutes < from);
      return isBefore ? zone.timeOf(day, from, "last") : at;
    }
  }
  return undefined;
}

export const isOpen = (at: Date, times: Times): boolean => nextOpening(at, times)?.getTime() === at.getTime();
