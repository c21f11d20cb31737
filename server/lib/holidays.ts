import { isDay, type Day } from "./days.ts";
import { linesOf, type SettingLineProblem } from "./setting-lines.ts";

/** Days on which a business is closed regardless of its hours. */
export interface Holiday {
  readonly from: Day;
  /** The last day. */
  readonly to: Day;
  /** Can be empty. */
  readonly name: string;
}

const FORM = 'write "2026-12-25 Christmas", or "2026-12-24 - 2026-12-31 Winter break" for several days.';
const LINE = /^(\d{4}-\d\d-\d\d)(?: ?[-–] ?(\d{4}-\d\d-\d\d))?(?: (.*))?$/;

const read = (text: string): Holiday | string => {
  const [, from = "", to = from, name = ""] = LINE.exec(text.replace(/\s+/g, " ")) ?? [];
  if (!from) return FORM;
  const odd = [from, to].find((day) => !isDay(day));
  if (odd !== undefined) return `${odd} is in no calendar: ${FORM}`;
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
  for (const { line, text: written } of linesOf(text)) {
    const holiday = read(written);
    if (typeof holiday === "string") problems.push({ line, message: holiday });
    else holidays.push(holiday);
  }
  return { holidays, problems };
}

export const holidayOn = (day: Day, holidays: readonly Holiday[]): Holiday | undefined =>
  holidays.find(({ from, to }) => from <= day && day <= to);
