import { settingLinesOf, type SettingLineProblem } from "./setting-lines.ts";
import { isDay, type Day } from "./time-zone.ts";

/** A period of a day in which a business is open. @units minutes since midnight */
interface DayHours {
  readonly from: number;
  readonly to: number;
}

/** Hours by day of the week, starting with Sunday: seven lists. */
export type OpeningHours = readonly (readonly DayHours[])[];

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const HOURS_FORMAT = 'write days and times, such as "Mon-Fri 09:00-17:00" or "Sat, Sun 10:00-12:00, 13:00-15:00".';
const TIME_RANGE = /^(\d{1,2}):(\d\d) ?[-–] ?(\d{1,2}):(\d\d)$/;
const DAY_NAME_LENGTH_MIN = 3;

/** -> -1 when the word names no day */
const dayNamed = (word: string): number =>
  word.length < DAY_NAME_LENGTH_MIN ? -1 : DAYS.findIndex((day) => day.toLowerCase().startsWith(word.toLowerCase()));

/** Days of "Mon" or "Fri-Mon". -> undefined when they can't be read */
const daysIn = (piece: string): number[] | undefined => {
  const [from = -1, to = from, ...more] = piece.split(/ ?[-–] ?/).map(dayNamed);
  if (from < 0 || to < 0 || more.length > 0) return undefined;
  return Array.from(
    { length: ((to - from + DAYS.length) % DAYS.length) + 1 },
    (_, step) => (from + step) % DAYS.length,
  );
};

/** -> undefined for an invalid time of day */
const minutesIn = (hours = "", minutes = ""): number | undefined => {
  const all = Number(hours) * 60 + Number(minutes);
  return Number(minutes) < 60 && all <= 24 * 60 ? all : undefined;
};

/** -> the hours, or the problem */
const hoursIn = (piece: string): DayHours | string => {
  const [, ...parts] = TIME_RANGE.exec(piece) ?? [];
  const [from, to] = [minutesIn(parts[0], parts[1]), minutesIn(parts[2], parts[3])];
  if (parts.length === 0) return HOURS_FORMAT;
  if (from === undefined || to === undefined)
    return `"${piece}" is not a time of day: write a time from 00:00 to 24:00.`;
  if (from >= to)
    return `"${piece}" doesn't end on its day: write two lines, such as "Fri 22:00-24:00" and "Sat 00:00-02:00".`;
  return { from, to };
};

/** "09:00" @units minutes since midnight */
export const clockOf = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((number) => String(number).padStart(2, "0")).join(":");

interface Opening extends DayHours {
  readonly day: number;
}

/** -> the hours of the line, or its problem */
const parseHoursLine = (text: string): Opening[] | string => {
  const [, names = "", times = ""] = /^(\D+) (\d.*)$/.exec(text.replace(/\s+/g, " ")) ?? [];
  const days = names.split(",").map((piece) => daysIn(piece.trim()));
  const openings: Opening[] = [];
  for (const piece of times.split(",").map((one) => one.trim())) {
    const hours = hoursIn(piece);
    if (typeof hours === "string") return hours;
    for (const day of days) {
      if (!day) return HOURS_FORMAT;
      openings.push(...day.map((one) => ({ day: one, ...hours })));
    }
  }
  return openings;
};

/** Reads business hours, one or more days a line. A line that can't be read is a problem and has no effect. */
export function parseHours(text: string): { readonly week: OpeningHours; readonly problems: SettingLineProblem[] } {
  const openings: (Opening & { readonly line: number })[] = [];
  const problems: SettingLineProblem[] = [];
  for (const { line, text: lineText } of settingLinesOf(text)) {
    const found = parseHoursLine(lineText);
    if (typeof found === "string") {
      problems.push({ line, message: found });
      continue;
    }
    for (const opening of found) {
      const { day, from, to } = opening;
      const other = openings.find((one) => one.day === day && one.from < to && from < one.to);
      if (!other) openings.push({ ...opening, line });
      else {
        const hours = `${DAYS[day]} ${clockOf(other.from)}-${clockOf(other.to)}`;
        problems.push({ line, message: `${hours} stands in line ${other.line} already.` });
      }
    }
  }
  const week = DAYS.map((_, day) =>
    openings
      .filter((one) => one.day === day)
      .map(({ from, to }) => ({ from, to }))
      .sort((one, other) => one.from - other.from),
  );
  return { week, problems };
}

/** Days on which a business is closed regardless of its hours. */
export interface Holiday {
  readonly from: Day;
  /** The last day. */
  readonly to: Day;
  /** Can be empty. */
  readonly name: string;
}

const HOLIDAY_FORMAT = 'write "2026-12-25 Christmas", or "2026-12-24 - 2026-12-31 Winter break" for several days.';
const HOLIDAY_LINE = /^(\d{4}-\d\d-\d\d)(?: ?[-–] ?(\d{4}-\d\d-\d\d))?(?: (.*))?$/;

const parseHolidayLine = (text: string): Holiday | string => {
  const [, from = "", to = from, name = ""] = HOLIDAY_LINE.exec(text.replace(/\s+/g, " ")) ?? [];
  if (!from) return HOLIDAY_FORMAT;
  const invalid = [from, to].find((day) => !isDay(day));
  if (invalid !== undefined) return `${invalid} is in no calendar: ${HOLIDAY_FORMAT}`;
  if (to < from) return `${to} is before ${from}.`;
  return { from, to, name: name.trim() };
};

/** Reads holidays, one day or range a line. A line that can't be read is a problem and has no effect. */
export function parseHolidays(text: string): {
  readonly holidays: readonly Holiday[];
  readonly problems: SettingLineProblem[];
} {
  const holidays: Holiday[] = [];
  const problems: SettingLineProblem[] = [];
  for (const { line, text: lineText } of settingLinesOf(text)) {
    const holiday = parseHolidayLine(lineText);
    if (typeof holiday === "string") problems.push({ line, message: holiday });
    else holidays.push(holiday);
  }
  return { holidays, problems };
}

export const holidayOn = (day: Day, holidays: readonly Holiday[]): Holiday | undefined =>
  holidays.find(({ from, to }) => from <= day && day <= to);
