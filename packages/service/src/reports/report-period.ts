import { INVALID_REPORT_RANGE, refuse } from "@parley/contract";
import { REPORT_SPANS, REPORT_STEPS, type EventReport } from "./columns.ts";

/** From its beginning (inclusive) to its end (exclusive). */
export interface ReportPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** How far back a report may begin. */
const MONTHS_BACK = 15;

/** The last day of a shorter month stands for days that it does not have. */
const monthsBefore = (time: Date, months: number): Date => {
  const back = new Date(time);
  back.setUTCDate(1);
  back.setUTCMonth(back.getUTCMonth() - months);
  const days = new Date(Date.UTC(back.getUTCFullYear(), back.getUTCMonth() + 1, 0)).getUTCDate();
  back.setUTCDate(Math.min(time.getUTCDate(), days));
  return back;
};

const momentOf = (name: string, text: string): Date => {
  const time = new Date(text);
  // A leap second is a date-time that no clock here shows.
  if (Number.isNaN(time.getTime())) refuse(INVALID_REPORT_RANGE, `${name} is a time that no clock shows.`);
  return time;
};

/**
 * The range that a report can span.
 * @errors INVALID_REPORT_RANGE that says which bound was crossed
 * @assumed What is to come is cut off: an end later than the present counts as the present.
 */
export function reportPeriodOf(
  given: { readonly start: string; readonly end: string },
  event: EventReport,
  now: Date,
): ReportPeriod {
  const [from, end] = [momentOf("start", given.start), momentOf("end", given.end)];
  const say = (words: string): never => refuse(INVALID_REPORT_RANGE, words);
  if (end <= from) say("end must be later than start.");
  if (from >= now) say("start must be in the past.");
  const earliest = monthsBefore(now, MONTHS_BACK);
  if (from < earliest)
    say(`start reaches back ${MONTHS_BACK} months at most: the earliest is ${earliest.toISOString()}.`);
  const { ms, words } = REPORT_SPANS[event.span];
  if (end.getTime() - from.getTime() > ms) say(`A report of this event spans ${words} at most.`);
  return { from, to: end < now ? end : now };
}

/** Cuts a range into stretches of a length, the last of which may be shorter. @units milliseconds */
export function stretchesOf({ from, to }: ReportPeriod, length: number): ReportPeriod[] {
  const stretches: ReportPeriod[] = [];
  for (let begin = from.getTime(); begin < to.getTime(); begin += length)
    stretches.push({ from: new Date(begin), to: new Date(Math.min(begin + length, to.getTime())) });
  return stretches;
}

/** The stretches that become files. */
export const linksOf = (range: ReportPeriod, event: EventReport): ReportPeriod[] =>
  stretchesOf(range, REPORT_STEPS[event.step]);
