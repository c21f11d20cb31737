import {
  HISTORICAL_METRICS,
  type HistoricalMetric,
  type MetricAggregator,
  type MetricFamily,
  type InputOf,
  type MetricHistory,
  type metrics,
  MISSING_PARAMETER,
  refuse,
} from "@parley/contract";
import { type MeasureKind, bucketMiddle } from "../measures/measures.ts";
import { momentOf } from "./range.ts";
import { breakdownOf, groupingsOf, keysOf, type MetricScope } from "./scope.ts";
import { cellKey, isoSpan, metricRangeOf, seriesOf, type MetricRange, type MetricReading } from "./series.ts";
import type { MetricStore, MetricSum } from "./store.ts";

/** How a metric is computed from a measure. */
interface MetricRule {
  readonly measure: MeasureKind;
  /** `count`: the number of measurements; `time`: their durations. */
  readonly value: "count" | "time";
}

/** The metric of the present state. It has no history. */
const UNASSIGNED = "conversation_metrics.created_x_mins_ago_and_unassigned";
type MetricOverTime = Exclude<HistoricalMetric, typeof UNASSIGNED>;

/**
 * The measure behind each metric. Values count in the hour of their event, for the group and the agent of the conversation at that time.
 * @assumed An interaction counts as assigned when it gets its first agent; its wait time runs from its beginning until then. A response
 * counts for the agent who gave it. resolution_time runs from an interaction's beginning to its resolution.
 */
const METRICS: Readonly<Record<MetricOverTime, MetricRule>> = {
  "conversation_metrics.created_interactions": { measure: "created", value: "count" },
  "conversation_metrics.assigned_interactions": { measure: "wait", value: "count" },
  "conversation_metrics.resolved_interactions": { measure: "resolution", value: "count" },
  "conversation_metrics.wait_time": { measure: "wait", value: "time" },
  "team_performance.first_response_time": { measure: "first_response", value: "time" },
  "team_performance.response_time": { measure: "response", value: "time" },
  "team_performance.resolution_time": { measure: "resolution", value: "time" },
  "team_performance.responses_sent": { measure: "response", value: "count" },
};

const isOverTime = (metric: HistoricalMetric): metric is MetricOverTime => metric !== UNASSIGNED;

/** The metrics that a name denotes: one metric, or all of a family. */
const metricsOf = (name: MetricOverTime | MetricFamily): readonly MetricOverTime[] =>
  HISTORICAL_METRICS.filter(isOverTime).filter((metric) => metric === name || metric.startsWith(`${name}.`));

/** Quantile of each aggregator, from 0 to 1; undefined: not computed from the histogram. */
const QUANTILES: Readonly<Record<MetricAggregator, number | undefined>> = {
  avg: undefined,
  min: undefined,
  max: undefined,
  median: 0.5,
  "90th_percentile": 0.9,
};

type Query = InputOf<typeof metrics.getHistoricalMetric>["query"];

/** -> rounded to milliseconds. @units seconds */
const seconds = (ms: number): string => String(Math.round(ms) / 1_000);

/** Limited to the measured range: the middle of a bucket may lie outside of it. */
const quantileOf = ({ quantile, min_ms, max_ms }: MetricSum): number =>
  Math.min(Math.max(bucketMiddle(quantile ?? 0), min_ms ?? 0), max_ms ?? 0);

const timeOf = (sum: MetricSum, aggregator: MetricAggregator): string => {
  switch (aggregator) {
    case "avg":
      return seconds(sum.sum_ms / sum.count);
    case "min":
      return seconds(sum.min_ms ?? 0);
    case "max":
      return seconds(sum.max_ms ?? 0);
    case "median":
    case "90th_percentile":
      return seconds(quantileOf(sum));
  }
};

/** Reads the measurements of one metric, by interval and by group or agent. */
const readMetric = async (
  store: MetricStore,
  scope: MetricScope,
  metric: MetricOverTime,
  { range: { span, intervals }, query }: HistoryQuery,
): Promise<MetricReading> => {
  const { measure, value } = METRICS[metric];
  const { aggregator = "avg" } = query;
  const request = { ...span, measure, cut: breakdownOf(scope), intervals };
  const quantileShare = value === "time" ? QUANTILES[aggregator] : undefined;
  const [sums, quantiles] = await Promise.all([
    store.sums(scope, request),
    quantileShare === undefined ? [] : store.quantiles(scope, request, quantileShare),
  ]);
  const found = new Map(quantiles.map(({ start, key, quantile }) => [cellKey(start, key), quantile]));
  const byCell = new Map(
    sums.map((sum) => [
      cellKey(sum.start, sum.key),
      { ...sum, quantile: found.get(cellKey(sum.start, sum.key)) ?? null },
    ]),
  );
  return {
    keys: sums.map(({ key }) => key),
    valueAt: (start, key) => {
      const sum = byCell.get(cellKey(start, key));
      if (value === "count") return { key: metric, value: String(sum?.count ?? 0) };
      return { key: metric, value: sum ? timeOf(sum, aggregator) : "null" };
    },
  };
};

interface HistoryQuery {
  readonly range: MetricRange;
  readonly query: Query;
}

/**
 * Metrics over the intervals of a range.
 * @assumed A count without measurements is "0", a time without measurements "null". The default aggregator is avg; counts have no aggregator. The key
 * of a value is the name of its metric.
 */
const overTime = async (
  store: MetricStore,
  scope: MetricScope,
  names: readonly MetricOverTime[],
  query: Query,
): Promise<MetricHistory> => {
  const { aggregator = "avg" } = query;
  const range = metricRangeOf(query);
  const readings = await Promise.all(names.map((metric) => readMetric(store, scope, metric, { range, query })));
  return {
    ...seriesOf(scope, range, names, readings),
    ...(names.some((metric) => METRICS[metric].value === "time") && { aggregator }),
  };
};

/**
 * The open interactions without an agent that began at least x minutes before the end of the range.
 * @assumed The interactions are those without an agent at the time of the request, since past assignments are not kept for this metric. The
 * start is ignored, since clients read the clock twice. An interval has no meaning and is ignored.
 */
const unassigned = async (
  store: MetricStore,
  scope: MetricScope,
  { start, end, x_time }: Query,
): Promise<MetricHistory> => {
  if (x_time === undefined) return refuse(MISSING_PARAMETER, `x_time is mandatory for ${UNASSIGNED}`);
  const moment = momentOf(end);
  const counts = await store.unassigned(scope, new Date(moment.getTime() - x_time * 60_000));
  const found = new Map(counts.map(({ key, count }) => [key, count]));
  const span = isoSpan({ start: momentOf(start), end: moment });
  return {
    metrics: [UNASSIGNED],
    data: keysOf(scope, [...found.keys()]).map((key) => ({
      groupings: groupingsOf(scope, key),
      series: [{ ...span, values: [{ key: UNASSIGNED, value: String(found.get(key) ?? 0) }] }],
    })),
    ...span,
  };
};

/** @errors INVALID_METRIC_RANGE, MISSING_PARAMETER */
export const metricHistory = (store: MetricStore, scope: MetricScope, query: Query): Promise<MetricHistory> =>
  query.metric === UNASSIGNED
    ? unassigned(store, scope, query)
    : overTime(store, scope, metricsOf(query.metric), query);
