import { INVALID_METRIC_RANGE, type MetricInterval, refuse } from "@parley/contract";
import type { TimeZone } from "@parley/contract/display";

/** A time range: the start is included, the end is not. */
export interface TimeSpan {
  readonly start: Date;
  readonly end: Date;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Minimum length of each interval. @units milliseconds */
const INTERVAL_MS_MIN: Readonly<Record<MetricInterval, number>> = {
  "1h": HOUR_MS,
  "1d": DAY_MS,
  "1W": 7 * DAY_MS,
  "1M": 28 * DAY_MS,
};

/** More than one year by hours. @assumed */
const INTERVALS_MAX = 10_000;
/** Maximum values in a reply: intervals times groups or agents. @assumed */
export const POINTS_MAX = 50_000;

/** Bounds of a time: no data is older than the epoch, and the wire format has four digits for the year. */
const TIME_MS_MIN = 0;
const TIME_MS_MAX = Date.UTC(9999, 11, 31);

const clampTime = (time: number): number => Math.min(Math.max(time, TIME_MS_MIN), TIME_MS_MAX);

/** A time within the bounds of the database and the wire format. */
export const momentOf = (text: string): Date => new Date(clampTime(Date.parse(text)));

/**
 * The full hours that contain a range.
 * @errors INVALID_METRIC_RANGE
 * @assumed Metrics have a resolution of one hour. A range begins with the hour of its start and ends with the hour of its end.
 */
export const hoursOf = (start: string, end: string): TimeSpan => {
  if (Date.parse(end) <= Date.parse(start)) refuse(INVALID_METRIC_RANGE, "end must be after start.");
  const first = Math.floor(momentOf(start).getTime() / HOUR_MS) * HOUR_MS;
  const last = Math.ceil(momentOf(end).getTime() / HOUR_MS) * HOUR_MS;
  return { start: new Date(first), end: new Date(last) };
};

/** The start of the next day, week or month. @shape wall: a wall time as if it were UTC */
const nextWallStart = (wall: number, interval: Exclude<MetricInterval, "1h">): number => {
  const date = new Date(wall);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (interval) {
    case "1d":
      return Date.UTC(year, month, day + 1);
    case "1W":
      // getUTCDay is 0 on Sunday; weeks begin on Monday.
      return Date.UTC(year, month, day + 7 - ((date.getUTCDay() + 6) % 7));
    case "1M":
      return Date.UTC(year, month + 1, 1);
  }
};

/** The start of the next interval: a full hour, since metrics have a resolution of one hour. */
const nextIntervalStart = (time: number, interval: MetricInterval, zone: TimeZone): number => {
  if (interval === "1h") return time + HOUR_MS;
  const start = zone.instantOf(nextWallStart(time + zone.offsetAt(time), interval));
  return Math.max(time + HOUR_MS, Math.ceil(start / HOUR_MS) * HOUR_MS);
};

/**
 * The intervals of a range. The first and the last are cut at the bounds of the range. Without an interval: the whole range.
 * @errors INVALID_METRIC_RANGE
 * @assumed Days, weeks and months begin at midnight of the time zone that the request names, by default UTC; a week begins on Monday. Where
 * midnight is not a full hour of UTC, they begin at the next full hour.
 */
export const intervalsOf = (
  { start, end }: TimeSpan,
  interval: MetricInterval | undefined,
  zone: TimeZone,
): readonly TimeSpan[] => {
  if (interval === undefined) return [{ start, end }];
  if ((end.getTime() - start.getTime()) / INTERVAL_MS_MIN[interval] > INTERVALS_MAX)
    refuse(
      INVALID_METRIC_RANGE,
      `The range holds more than ${INTERVALS_MAX} intervals of ${interval}: choose a longer interval or a shorter range.`,
    );
  const spans: TimeSpan[] = [];
  for (let from = start.getTime(); from < end.getTime();) {
    const to = Math.min(nextIntervalStart(from, interval, zone), end.getTime());
    spans.push({ start: new Date(from), end: new Date(to) });
    from = to;
  }
  return spans;
};
