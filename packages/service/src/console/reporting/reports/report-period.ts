import { INVALID_REPORT_RANGE, refuse } from "@parley/contract";
import { REPORT_SPANS, FILE_PERIODS_MS, type EventReport } from "./columns.ts";

/** A time range: the start is included, the end is not. */
export interface ReportPeriod {
  readonly from: Date;
  readonly to: Date;
}

/** Maximum age of a report's start. @units months */
export const MONTHS_BACK = 15;

/** A day beyond the end of a shorter month becomes its last day. */
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
  // A leap second is a valid date-time that JavaScript can't represent.
  if (Number.isNaN(time.getTime())) refuse(INVALID_REPORT_RANGE, `${name} is a time that no clock shows.`);
  return time;
};

/**
 * The range of a report.
 * @errors INVALID_REPORT_RANGE with the exceeded bound
 * @assumed An end in the future is replaced by the present.
 */
export function reportPeriodOf(
  requested: { readonly start: string; readonly end: string },
  event: EventReport,
  now: Date,
): ReportPeriod {
  const [from, end] = [momentOf("start", requested.start), momentOf("end", requested.end)];
  const refuseRange = (words: string): never => refuse(INVALID_REPORT_RANGE, words);
  if (end <= from) refuseRange("end must be later than start.");
  if (from >= now) refuseRange("start must be in the past.");
  const earliest = monthsBefore(now, MONTHS_BACK);
  if (from < earliest)
    refuseRange(`start reaches back ${MONTHS_BACK} months at most: the earliest is ${earliest.toISOString()}.`);
  const { ms, words } = REPORT_SPANS[event.span];
  if (end.getTime() - from.getTime() > ms) refuseRange(`A report of this event spans ${words} at most.`);
  return { from, to: end < now ? end : now };
}

/** Splits a range into periods of equal length; the last may be shorter. @units milliseconds */
export function splitPeriod({ from, to }: ReportPeriod, length: number): ReportPeriod[] {
  const periods: ReportPeriod[] = [];
  for (let begin = from.getTime(); begin < to.getTime(); begin += length)
    periods.push({ from: new Date(begin), to: new Date(Math.min(begin + length, to.getTime())) });
  return periods;
}

/** The periods of the files. */
export const filePeriodsOf = (range: ReportPeriod, event: EventReport): ReportPeriod[] =>
  splitPeriod(range, FILE_PERIODS_MS[event.step]);
