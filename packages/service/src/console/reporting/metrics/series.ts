import { INVALID_METRIC_RANGE, INVALID_VALUE, type MetricHistory, type MetricInterval, refuse } from "@parley/contract";
import { createTimeZoneCache, isTimeZone } from "@parley/contract/display";
import { hoursOf, intervalsOf, POINTS_MAX, type TimeSpan } from "./range.ts";
import { groupingsOf, type GroupingKey, keysOf, type MetricScope } from "./scope.ts";

/** The values of one metric, by interval and by group or agent. */
export interface MetricReading {
  /** Groups or agents with values. */
  readonly keys: readonly GroupingKey[];
  readonly valueAt: (
    start: Date,
    key: GroupingKey,
  ) => MetricHistory["data"][number]["series"][number]["values"][number];
}

/** A range and its intervals. */
export interface MetricRange {
  readonly span: TimeSpan;
  readonly interval: MetricInterval | undefined;
  readonly intervals: readonly TimeSpan[];
  /** As the request names it. */
  readonly timezone: string | undefined;
}

const zones = createTimeZoneCache();

/** @errors INVALID_METRIC_RANGE, INVALID_VALUE */
export const metricRangeOf = ({
  start,
  end,
  interval,
  timezone,
}: {
  readonly start: string;
  readonly end: string;
  readonly interval?: MetricInterval | undefined;
  readonly timezone?: string | undefined;
}): MetricRange => {
  if (timezone !== undefined && !isTimeZone(timezone))
    refuse(INVALID_VALUE, "timezone must be a time zone such as Europe/Berlin.");
  const span = hoursOf(start, end);
  return { span, interval, intervals: intervalsOf(span, interval, zones(timezone ?? "UTC")), timezone };
};

/** Names an interval and a group or agent. */
export const cellKey = (start: Date, key: GroupingKey): string => `${start.getTime()} ${String(key)}`;

export const isoSpan = ({ start, end }: TimeSpan) => ({ start: start.toISOString(), end: end.toISOString() });

/**
 * The reply with a series for each group or agent, and in it a value of each metric for each interval.
 * @errors INVALID_METRIC_RANGE if the reply would be too long
 * @shape readings: in the order of the names
 */
export const seriesOf = (
  scope: MetricScope,
  { span, interval, intervals, timezone }: MetricRange,
  names: readonly string[],
  readings: readonly MetricReading[],
): MetricHistory => {
  const keys = keysOf(
    scope,
    readings.flatMap((reading) => reading.keys),
  );
  if (keys.length * intervals.length * names.length > POINTS_MAX)
    refuse(
      INVALID_METRIC_RANGE,
      `The answer would hold more than ${POINTS_MAX} values: choose a longer interval, a shorter range or a filter.`,
    );
  return {
    metrics: [...names],
    data: keys.map((key) => ({
      groupings: groupingsOf(scope, key),
      series: intervals.map((each) => ({
        ...isoSpan(each),
        values: readings.map(({ valueAt }) => valueAt(each.start, key)),
      })),
    })),
    ...isoSpan(span),
    ...(interval && { interval }),
    ...(timezone !== undefined && { timezone }),
  };
};
