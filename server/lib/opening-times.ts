import {
  daysAfter,
  weekdayOf,
  type Day,
  type ZoneTime,
  isDay,
  zoneProblem,
  usableZone,
  zoneTimeOf,
} from "./time-zone.ts";
import { holidayOn, type Holiday, type OpeningHours, parseHolidays, clockOf, parseHours } from "./business-hours.ts";
import type { SettingLineProblem } from "./setting-lines.ts";
import type { Settings } from "./settings.ts";

/** The opening times of a business. */
export interface OpeningTimes {
  readonly week: OpeningHours;
  readonly holidays: readonly Holiday[];
  /** The last day of a pause that has begun; empty without a pause. */
  readonly closedUntil: Day;
  readonly zone: ZoneTime;
}

/** How far ahead an opening is searched. @units days */
const SEARCH_DAYS_MAX = 1_500;

const isWorkday = (day: Day, { closedUntil, holidays }: OpeningTimes): boolean =>
  day > closedUntil && !holidayOn(day, holidays);

/**
 * The next time at which the business is open: the time itself if it is open then.
 * @returns undefined when it stays closed for four years
 */
export function nextOpening(at: Date, times: OpeningTimes): Date | undefined {
  const { week, zone } = times;
  // Starts a day earlier: a clock that is set back over midnight shows a day twice.
  const first = daysAfter(zone.at(at).day, -1);
  for (let offset = 0; offset <= SEARCH_DAYS_MAX; offset++) {
    const day = daysAfter(first, offset);
    if (!isWorkday(day, times)) continue;
    for (const { from, to } of week[weekdayOf(day)] ?? []) {
      const [opens, closes] = [zone.timeOf(day, from), zone.timeOf(day, to)];
      if (opens >= closes || closes <= at) continue;
      if (opens > at) return opens;
      // After the clock was set back, it may show a time before opening hours that had begun already: they begin again.
      const shown = zone.at(at);
      const isBeforeOpening = shown.day < day || (shown.day === day && shown.minutes < from);
      return isBeforeOpening ? zone.timeOf(day, from, "last") : at;
    }
  }
  return undefined;
}

/** Languages in which templates can name a day: {{opening.de.day}}. */
const DAY_LANGUAGES = ["de", "es", "fr", "it", "nl", "pt"] as const;
const DEFAULT_LANGUAGE = "en-GB";

/** The admin's opening times as far as they can be read, and sentences about the rest. */
export interface ParsedOpeningTimes extends OpeningTimes {
  readonly problems: readonly string[];
}

const problemSentences = (setting: string, problems: readonly SettingLineProblem[]): string[] =>
  problems.map(({ line, message }) => `Line ${line} of the ${setting}: ${message}`);

export function parseOpeningTimes({
  timeZone,
  afterHours,
}: Pick<Settings, "timeZone" | "afterHours">): ParsedOpeningTimes {
  const { week, problems } = parseHours(afterHours.hours);
  const { holidays, problems: holidayProblems } = parseHolidays(afterHours.holidays);
  const closedUntil = isDay(afterHours.closedUntil) ? afterHours.closedUntil : "";
  const timeZoneProblem = zoneProblem(timeZone);
  return {
    week,
    holidays,
    closedUntil,
    zone: zoneTimeOf(usableZone(timeZone)),
    problems: [
      ...(timeZoneProblem ? [timeZoneProblem] : []),
      ...problemSentences("business hours", problems),
      ...problemSentences("holidays", holidayProblems),
    ],
  };
}

const dayIn = (language: string, day: Day): string =>
  new Intl.DateTimeFormat(language, { timeZone: "UTC", weekday: "long", day: "numeric", month: "long" }).format(
    new Date(`${day}T00:00:00Z`),
  );

/** A time in words. */
export const localTimeView = (zone: ZoneTime, time: Date) => {
  const { day: date, minutes } = zone.at(time);
  return { day: dayIn(DEFAULT_LANGUAGE, date), time: clockOf(minutes), date };
};

/** Template values of the next opening, {{opening.day}} and {{opening.time}}, and of the reason for closing, {{closed.holiday}}. */
export function openingView(now: Date, opening: Date, { zone, holidays }: Pick<OpeningTimes, "holidays" | "zone">) {
  const local = localTimeView(zone, opening);
  const days = DAY_LANGUAGES.map((language) => [language, { day: dayIn(language, local.date) }] as const);
  return {
    opening: { ...local, ...Object.fromEntries(days) },
    closed: { holiday: holidayOn(zone.at(now).day, holidays)?.name },
  };
}
