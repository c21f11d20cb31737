import { INVALID_METRIC_RANGE, type MetricInterval, refuse } from "@parley/contract";

/** A time range: the start is included, the end is not. */
export interface TimeSpan {
  readonly start: Date;
  readonly end: Date;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Minimum length of each interval. @units milliseconds */
const LEAST: Readonly<Record<MetricInterval, number>> = { "1h": HOUR, "1d": DAY, "1W": 7 * DAY, "1M": 28 * DAY };

/** More than one year by hours. @assumed */
const MOST_INTERVALS = 10_000;
/** Maximum values in a reply: intervals times groups or agents. @assumed */
export const MAX_POINTS = 50_000;

/** Bounds of a time: no data is older than the epoch, and the wire format has four digits for the year. */
const FIRST = 0;
const LAST = Date.UTC(9999, 11, 31);

const within = (time: number): number => Math.min(Math.max(time, FIRST), LAST);

/** A time within the bounds of the database and the wire format. */
export const momentOf = (text: string): Date => new Date(within(Date.parse(text)));

/**
 * The full hours that contain a range.
 * @errors INVALID_METRIC_RANGE
 * @assumed Metrics have a resolution of one hour. A range begins with the hour of its start and ends with the hour of its end.
 */
export const hoursOf = (start: string, end: string): TimeSpan => {
  if (Date.parse(end) <= Date.parse(start)) refuse(INVALID_METRIC_RANGE, "end must be after start.");
  const first = Math.floor(momentOf(start).getTime() / HOUR) * HOUR;
  const last = Math.ceil(momentOf(end).getTime() / HOUR) * HOUR;
  return { start: new Date(first), end: new Date(last) };
};

/** The start of the next interval. */
const next = (time: number, interval: MetricInterval): number => {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (interval) {
    case "1h":
      return time + HOUR;
    case "1d":
      return Date.UTC(year, month, day + 1);
    case "1W":
      // getUTCDay is 0 on Sunday; weeks begin on Monday.
      return Date.UTC(year, month, day + 7 - ((date.getUTCDay() + 6) % 7));
    case "1M":
      return Date.UTC(year, month + 1, 1);
  }
};

/**
 * The intervals of a range. The first and the last are cut at the bounds of the range. Without an interval: the whole range.
 * @errors INVALID_METRIC_RANGE
 * @assumed Intervals are in UTC, and a week begins on Monday.
 */
export const intervalsOf = ({ start, end }: TimeSpan, interval: MetricInterval | undefined): readonly TimeSpan[] => {
  if (interval === undefined) return [{ start, end }];
  if ((end.getTime() - start.getTime()) / LEAST[interval] > MOST_INTERVALS)
    refuse(
      INVALID_METRIC_RANGE,
      `The range holds more than ${MOST_INTERVALS} intervals of ${interval}: choose a longer interval or a shorter range.`,
    );
  const spans: TimeSpan[] = [];
  for (let from = start.getTime(); from < end.getTime();) {
    const to = Math.min(next(from, interval), end.getTime());
    spans.push({ start: new Date(from), end: new Date(to) });
    from = to;
  }
  return spans;
};
