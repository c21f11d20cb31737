import type { NewReport, ReportEvent, ReportRules } from "@parley/contract";
import { rawReportMessages as texts } from "./messages.ts";

/** Values of the form of a request. Times are in UTC. @shape from, to: 2026-03-12T14:00, or empty */
interface RequestValues {
  readonly event: ReportEvent;
  readonly from: string;
  readonly to: string;
  readonly excludesPii: boolean;
}

const HOUR_S = 3_600;
const DAY_S = 86_400;

/** @units seconds */
export const spanText = (seconds: number): string => {
  if (seconds < HOUR_S) return texts.minutes(Math.round(seconds / 60));
  return seconds <= DAY_S ? texts.hours(Math.round(seconds / HOUR_S)) : texts.days(Math.round(seconds / DAY_S));
};

/** Minutes of a field for a time. @shape time: milliseconds of the epoch */
const fieldOf = (time: number): string => new Date(time).toISOString().slice(0, 16);

/** -> the last day. @shape now: milliseconds of the epoch */
export const newRequestValues = (now: number): RequestValues => ({
  event: "Conversation-Created",
  from: fieldOf(now - DAY_S * 1_000),
  to: fieldOf(now),
  excludesPii: false,
});

/** -> milliseconds of the epoch; NaN for a field that is empty or incomplete */
const timeOf = (field: string): number => Date.parse(`${field}Z`);

/** @units seconds */
export const longestRange = ({ events }: Pick<ReportRules, "events">, event: ReportEvent): number =>
  events.find((each) => each.event === event)?.longest_range_seconds ?? Number.POSITIVE_INFINITY;

/** The time so many months before, on the last day of a month that is shorter. @shape now: milliseconds of the epoch */
const monthsBefore = (now: number, months: number): number => {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() - months];
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), days)) + (now % (DAY_S * 1_000));
};

type Problems = Partial<Record<keyof RequestValues, string>>;

/** -> why the service would refuse the request. @shape now: milliseconds of the epoch */
export const requestProblems = ({ event, from, to }: RequestValues, rules: ReportRules, now: number): Problems => {
  const [start, end] = [timeOf(from), timeOf(to)];
  const longest = longestRange(rules, event);
  if (Number.isNaN(start) || Number.isNaN(end))
    return {
      ...(Number.isNaN(start) && { from: texts.startMissing }),
      ...(Number.isNaN(end) && { to: texts.endMissing }),
    };
  if (start >= now) return { from: texts.startInFuture };
  if (start < monthsBefore(now, rules.months_back)) return { from: texts.tooOld(rules.months_back) };
  if (end <= start) return { to: texts.endFirst };
  return end - start > longest * 1_000 ? { to: texts.tooLong(spanText(longest)) } : {};
};

export const requestBody = ({ event, from, to, excludesPii }: RequestValues): NewReport => ({
  event,
  start: new Date(timeOf(from)).toISOString(),
  end: new Date(timeOf(to)).toISOString(),
  ...(excludesPii && { should_exclude_pii: true }),
});
