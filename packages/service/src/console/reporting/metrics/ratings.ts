import {
  RATING_METRICS,
  type InputOf,
  type MetricHistory,
  type metricPages,
  type RatingMetric,
} from "@parley/contract";
import type { MetricScope } from "./scope.ts";
import { cellKey, metricRangeOf, seriesOf, type MetricReading } from "./series.ts";
import type { MetricStore, RatingSum } from "./store.ts";

/** An average is rounded to three decimals. */
const VALUES: Readonly<Record<RatingMetric, (sum: RatingSum | undefined) => string>> = {
  "csat.average": (sum) => (sum ? String(Math.round(sum.average * 1_000) / 1_000) : "null"),
  "csat.ratings": (sum) => String(sum?.count ?? 0),
};

/**
 * Ratings over the intervals of a range, by the time at which they were given.
 * @errors INVALID_METRIC_RANGE
 */
export const ratingHistory = async (
  store: MetricStore,
  scope: MetricScope,
  query: InputOf<typeof metricPages.getRatingHistory>["query"],
): Promise<MetricHistory> => {
  const range = metricRangeOf(query);
  const sums = await store.ratings(scope, { ...range.span, intervals: range.intervals });
  const byCell = new Map(sums.map((sum) => [cellKey(sum.start, sum.key), sum]));
  const keys = sums.map(({ key }) => key);
  const readings = RATING_METRICS.map((metric): MetricReading => ({
    keys,
    valueAt: (start, key) => ({ key: metric, value: VALUES[metric](byCell.get(cellKey(start, key))) }),
  }));
  return seriesOf(scope, range, RATING_METRICS, readings);
};
