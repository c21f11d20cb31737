import { daysAfter, weekdayOf, type Day } from "./days.ts";
import { holidayOn, type Holiday } from "./holidays.ts";
import type { OpeningHours } from "./opening-hours.ts";
import type { ZoneTime } from "./time-zone.ts";

/** The opening times of a business. */
export interface Times {
  readonly week: OpeningHours;
  readonly holidays: readonly Holiday[];
  /** The last day of a pause that has begun; empty for none. */
  readonly closedUntil: Day;
  readonly zone: ZoneTime;
}

/** How far ahead an opening is searched. @units days */
const SEARCH_DAYS_MAX = 1_500;

const isWorkday = (day: Day, { closedUntil, holidays }: Times): boolean =>
  day > closedUntil && !holidayOn(day, holidays);

/**
 * The next time at which the business is open: the time itself if it is open then.
 * @returns undefined when it stays closed for four years
 */
export function nextOpening(at: Date, times: Times): Date | undefined {
  const { week, zone } = times;
  // Starts a day earlier: a clock that is set back over midnight shows a day twice.
  const first = daysAfter(zone.at(at).day, -1);
  for (let ahead = 0; ahead <= SEARCH_DAYS_MAX; ahead++) {
    const day = daysAfter(first, ahead);
    if (!isWorkday(day, times)) continue;
    for (const { from, to } of week[weekdayOf(day)] ?? []) {
      const [opens, closes] = [zone.timeOf(day, from), zone.timeOf(day, to)];
      if (opens >= closes || closes <= at) continue;
      if (opens > at) return opens;
      // After the clock was set back, it may show a time before opening hours that had begun already: they begin again.
      const shown = zone.at(at);
      const isBefore = shown.day < day || (shown.day === day && shown.minutes < from);
      return isBefore ? zone.timeOf(day, from, "last") : at;
    }
  }
  return undefined;
}

export const isOpen = (at: Date, times: Times): boolean => nextOpening(at, times)?.getTime() === at.getTime();
