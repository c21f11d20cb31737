import { isDay, type Day } from "./days.ts";
import type { Times } from "./calendar.ts";
import { holidayOn, parseHolidays } from "./holidays.ts";
import type { SettingLineProblem } from "./setting-lines.ts";
import { clockOf, parseHours } from "./opening-hours.ts";
import type { Settings } from "./settings.ts";
import { zoneProblem, usableZone, zoneTimeOf, type ZoneTime } from "./time-zone.ts";

/** Languages in which templates can name a day: {{opening.de.day}}. */
const LANGUAGES = ["de", "es", "fr", "it", "nl", "pt"] as const;
const OWN_LANGUAGE = "en-GB";

/** The admin's opening times as far as they can be read, and sentences about the rest. */
export interface ReadTimes extends Times {
  readonly problems: readonly string[];
}

const sentences = (setting: string, problems: readonly SettingLineProblem[]): string[] =>
  problems.map(({ line, message }) => `Line ${line} of the ${setting}: ${message}`);

export function timesOf({ timeZone, afterHours }: Pick<Settings, "timeZone" | "afterHours">): ReadTimes {
  const { week, problems } = parseHours(afterHours.hours);
  const { holidays, problems: odd } = parseHolidays(afterHours.holidays);
  const closedUntil = isDay(afterHours.closedUntil) ? afterHours.closedUntil : "";
  const noZone = zoneProblem(timeZone);
  return {
    week,
    holidays,
    closedUntil,
    zone: zoneTimeOf(usableZone(timeZone)),
    problems: [...(noZone ? [noZone] : []), ...sentences("business hours", problems), ...sentences("holidays", odd)],
  };
}

const dayIn = (language: string, day: Day): string =>
  new Intl.DateTimeFormat(language, { timeZone: "UTC", weekday: "long", day: "numeric", month: "long" }).format(
    new Date(`${day}T00:00:00Z`),
  );

/** A time in words. */
export const momentIn = (zone: ZoneTime, time: Date) => {
  const { day: date, minutes } = zone.at(time);
  return { day: dayIn(OWN_LANGUAGE, date), time: clockOf(minutes), date };
};

/** Template values of the next opening, {{opening.day}} and {{opening.time}}, and of the reason for closing, {{closed.holiday}}. */
export function openingView(now: Date, opening: Date, { zone, holidays }: Pick<Times, "holidays" | "zone">) {
  const moment = momentIn(zone, opening);
  const days = LANGUAGES.map((language) => [language, { day: dayIn(language, moment.date) }] as const);
  return {
    opening: { ...moment, ...Object.fromEntries(days) },
    closed: { holiday: holidayOn(zone.at(now).day, holidays)?.name },
  };
}
