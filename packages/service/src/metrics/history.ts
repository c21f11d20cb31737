import {
  INVALID_METRIC_RANGE,
  type InputOf,
  type MetricAggregator,
  type MetricHistory,
  type metrics,
  MISSING_PARAMETER,
  refuse,
} from "@parley/contract";
import { middleOf } from "../facts/measure.ts";
import { METRICS, type MetricOverTime, metricsOf, SHARES, UNASSIGNED } from "./metric.ts";
import { hoursOf, intervalsOf, momentOf, MOST_POINTS, type Span } from "./range.ts";
import { cutOf, groupingsOf, type Key, keysOf, type Scope } from "./scope.ts";
import type { MetricStore, Sum } from "./store.ts";

type Query = InputOf<typeof metrics.getHistoricalMetric>["query"];

/** -> to the millisecond. @units seconds */
const seconds = (ms: number): string => String(Math.round(ms) / 1_000);

/** A bucket's middle may lie beyond all values. */
const quantileOf = ({ quantile, min_ms, max_ms }: Sum): number =>
  Math.min(Math.max(middleOf(quantile ?? 0), min_ms ?? 0), max_ms ?? 0);

const timeOf = (sum: Sum, aggregator: MetricAggregator): string => {
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

const place = (start: Date, key: Key) => `${start.getTime()} ${String(key)}`;

const shown = ({ start, end }: Span) => ({ start: start.toISOString(), end: end.toISOString() });

/** What was measured of one metric, by interval and by group or agent. */
const readMetric = async (store: MetricStore, scope: Scope, metric: MetricOverTime, { span, query }: Asked) => {
  const { measure, value } = METRICS[metric];
  const { aggregator = "avg", interval } = query;
  const asked = { ...span, measure, cut: cutOf(scope), interval };
  const share = value === "time" ? SHARES[aggregator] : undefined;
  const [sums, quantiles] = await Promise.all([
    store.sums(scope, asked),
    share === undefined ? [] : store.quantiles(scope, asked, share),
  ]);
  const found = new Map(quantiles.map(({ start, key, quantile }) => [place(start, key), quantile]));
  const byPlace = new Map(
    sums.map((sum) => [place(sum.start, sum.key), { ...sum, quantile: found.get(place(sum.start, sum.key)) ?? null }]),
  );
  return {
    keys: sums.map(({ key }) => key),
    valueAt: (start: Date, key: Key) => {
      const sum = byPlace.get(place(start, key));
      if (value === "count") return { key: metric, value: String(sum?.count ?? 0) };
      return { key: metric, value: sum ? timeOf(sum, aggregator) : "null" };
    },
  };
};

interface Asked {
  readonly span: Span;
  readonly query: Query;
}

/**
 * Metrics over the intervals of a range.
 * @assumed A count without anything to count is "0", a time without anything that took it "null". The aggregator is avg where none is
 * named; a count has none. The key of a value is the name of its metric.
 */
const overTime = async (
  store: MetricStore,
  scope: Scope,
  names: readonly MetricOverTime[],
  query: Query,
): Promise<MetricHistory> => {
  const { aggregator = "avg", interval } = query;
  const span = hoursOf(query.start, query.end);
  const intervals = intervalsOf(span, interval);
  const read = await Promise.all(names.map((metric) => readMetric(store, scope, metric, { span, query })));
  const keys = keysOf(
    scope,
    read.flatMap((metric) => metric.keys),
  );
  if (keys.length * intervals.length * names.length > MOST_POINTS)
    refuse(
      INVALID_METRIC_RANGE,
      `The answer would hold more than ${MOST_POINTS} values: choose a longer interval, a shorter range or a filter.`,
    );
  return {
    metrics: [...names],
    ...(names.some((metric) => METRICS[metric].value === "time") && { aggregator }),
    data: keys.map((key) => ({
      groupings: groupingsOf(scope, key),
      series: intervals.map((each) => ({
        ...shown(each),
        values: read.map(({ valueAt }) => valueAt(each.start, key)),
      })),
    })),
    ...shown(span),
    ...(interval && { interval }),
  };
};

/**
 * The open interactions without an agent that began x minutes before the end of the range, or earlier.
 * @assumed Without an agent they are at the moment of the request: the past is not kept for it. The start is not looked at, since clients
 * take the clock twice; an interval has no meaning and is ignored.
 */
const unassigned = async (store: MetricStore, scope: Scope, { start, end, x_time }: Query): Promise<MetricHistory> => {
  if (x_time === undefined) return refuse(MISSING_PARAMETER, `x_time is mandatory for ${UNASSIGNED}`);
  const moment = momentOf(end);
  const counts = await store.unassigned(scope, new Date(moment.getTime() - x_time * 60_000));
  const found = new Map(counts.map(({ key, count }) => [key, count]));
  const span = shown({ start: momentOf(start), end: moment });
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
export const historyOf = (store: MetricStore, scope: Scope, query: Query): Promise<MetricHistory> =>
  query.metric === UNASSIGNED
    ? unassigned(store, scope, query)
    : overTime(store, scope, metricsOf(query.metric), query);
