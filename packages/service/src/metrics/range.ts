import { INVALID_METRIC_RANGE, type MetricInterval, refuse } from "@parley/contract";

/** From the first moment to the one after the last. */
export interface TimeSpan {
  readonly start: Date;
  readonly end: Date;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The least that an interval can last. @units milliseconds */
const LEAST: Readonly<Record<MetricInterval, number>> = { "1h": HOUR, "1d": DAY, "1W": 7 * DAY, "1M": 28 * DAY };

/** A year by hours, and some more. @assumed */
const MOST_INTERVALS = 10_000;
/** Intervals times groups or agents in one answer. @assumed */
export const MAX_POINTS = 50_000;

/** Nothing is older than the epoch, and years of five digits are no time on the wire. */
const FIRST = 0;
const LAST = Date.UTC(9999, 11, 31);

const within = (time: number): number => Math.min(Math.max(time, FIRST), LAST);

/** A time that the database and the wire can hold. */
export const momentOf = (text: string): Date => new Date(within(Date.parse(text)));

/**
 * The hours that a range touches.
 * @errors INVALID_METRIC_RANGE
 * @assumed Metrics are kept by the hour: a range begins with the hour of its start and ends with the hour of its end.
 */
export const hoursOf = (start: string, end: string): TimeSpan => {
  if (Date.parse(end) <= Date.parse(start)) refuse(INVALID_METRIC_RANGE, "end must be after start.");
  const first = Math.floor(momentOf(start).getTime() / HOUR) * HOUR;
  const last = Math.ceil(momentOf(end).getTime() / HOUR) * HOUR;
  return { start: new Date(first), end: new Date(last) };
};

/** The beginning of the interval after the one that a time lies in. */
const next = (time: number, interval: MetricInterval): number => {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (interval) {
    case "1h":
      return time + HOUR;
    case "1d":
      return Date.UTC(year, month, day + 1);
    case "1W":
      // Days since Monday: Sunday is 0 to JavaScript.
      return Date.UTC(year, month, day + 7 - ((date.getUTCDay() + 6) % 7));
    case "1M":
      return Date.UTC(year, month + 1, 1);
  }
};

/**
 * The intervals of a range; the first and the last are as long as the range lets them be. Without an interval: the range.
 * @errors INVALID_METRIC_RANGE
 * @assumed Intervals follow the clock of UTC, and a week begins on Monday.
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
