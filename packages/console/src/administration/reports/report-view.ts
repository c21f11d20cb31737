import type { MetricAggregator, MetricInterval } from "@parley/contract";
import { reportMessages as texts } from "./messages.ts";
import type { ReportZone } from "./time-zone.ts";

/** Spans to choose from: the last days with today, or chosen dates. */
export const SPANS = ["7", "30", "90", "custom"] as const;
export type ReportSpan = (typeof SPANS)[number];
export const INTERVALS = ["1h", "1d", "1W", "1M"] as const satisfies readonly MetricInterval[];
export const AGGREGATORS = [
  "avg",
  "median",
  "90th_percentile",
  "min",
  "max",
] as const satisfies readonly MetricAggregator[];
export const GROUPINGS = ["none", "group", "agent"] as const;
export type ReportGrouping = (typeof GROUPINGS)[number];

/** The view of the page of reports. It is part of the page's address. */
export interface ReportView {
  readonly span: ReportSpan;
  /** The first and the last day of the span `custom`, in the time zone of the account. @shape 2026-03-12, or empty */
  readonly from: string;
  readonly to: string;
  readonly interval: MetricInterval;
  readonly aggregator: MetricAggregator;
  readonly grouping: ReportGrouping;
  /** Ids; empty: all. */
  readonly group: string;
  readonly agent: string;
}

export const DEFAULT_VIEW: ReportView = {
  span: "7",
  from: "",
  to: "",
  interval: "1d",
  aggregator: "avg",
  grouping: "none",
  group: "",
  agent: "",
};

const oneOf = <T extends string>(choices: readonly T[], value: unknown, fallback: T): T =>
  choices.find((choice) => choice === String(value)) ?? fallback;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const isDate = (text: string): boolean => DATE.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
const dateOf = (value: unknown): string => (typeof value === "string" && isDate(value) ? value : "");
const idOf = (value: unknown): string => (typeof value === "string" && /^[\w-]{1,64}$/.test(value) ? value : "");

/** The parameters of an address, as anybody can write them. */
export type ReportAddress = Readonly<Partial<Record<keyof ReportView, unknown>>>;

/** -> the view of an address, with the default for each missing or invalid value */
export const viewOfAddress = (search: ReportAddress): ReportView => ({
  span: oneOf(SPANS, search.span, DEFAULT_VIEW.span),
  from: dateOf(search.from),
  to: dateOf(search.to),
  interval: oneOf(INTERVALS, search.interval, DEFAULT_VIEW.interval),
  aggregator: oneOf(AGGREGATORS, search.aggregator, DEFAULT_VIEW.aggregator),
  grouping: oneOf(GROUPINGS, search.grouping, DEFAULT_VIEW.grouping),
  group: idOf(search.group),
  agent: idOf(search.agent),
});

/** -> the parts of an address that differ from the default */
export const addressOfView = (view: ReportView): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(view).filter(
      ([name, value]) =>
        value !== DEFAULT_VIEW[name as keyof ReportView] && (view.span === "custom" || !["from", "to"].includes(name)),
    ),
  );

/** The range of a request: the start is included, the end is not. */
export interface ReportRange {
  readonly start: string;
  readonly end: string;
}

/** No account has data of earlier days. */
const EARLIEST = "2000-01-01";

/** -> why the dates are not a span; undefined for a span */
export const spanProblem = ({ span, from, to }: ReportView): string | undefined => {
  if (span !== "custom") return undefined;
  // While a year is typed, the field has years of the first centuries.
  if (from < EARLIEST || to < EARLIEST) return texts.datesMissing;
  return to < from ? texts.datesReversed : undefined;
};

/** -> undefined while the chosen dates are not a span. @shape now: milliseconds of the epoch */
export const rangeOf = (view: ReportView, zone: ReportZone, now: number): ReportRange | undefined => {
  if (spanProblem(view) !== undefined) return undefined;
  const [start, end] =
    view.span === "custom"
      ? [zone.startOfDay(view.from), zone.startOfDay(view.to, 1)]
      : [zone.startOfDay(zone.dayOf(now), 1 - Number(view.span)), now];
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
};

/** -> the view with chosen dates, which begin as the days of the span before. @shape now: milliseconds of the epoch */
export const withSpan = (view: ReportView, span: ReportSpan, zone: ReportZone, now: number): ReportView => {
  if (span !== "custom") return { ...view, span, from: "", to: "" };
  const range = rangeOf(view, zone, now);
  return { ...view, span, from: range ? zone.dayOf(Date.parse(range.start)) : "", to: zone.dayOf(now) };
};

/** -> the filter as the API takes it; undefined without a filter */
export const metricFilterOf = ({ group, agent }: Pick<ReportView, "group" | "agent">): string | undefined => {
  const parts = [...(group === "" ? [] : [`group:${group}`]), ...(agent === "" ? [] : [`agent:${agent}`])];
  return parts.length === 0 ? undefined : parts.join(",");
};
