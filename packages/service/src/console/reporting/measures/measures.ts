/** Measures, each recorded once per occurrence. `created` has no duration; the count of each other measure is a metric too. */
const MEASURES = ["created", "wait", "first_response", "response", "resolution"] as const;
export type MeasureKind = (typeof MEASURES)[number];

/** One occurrence of a measure. */
export interface Measure {
  readonly kind: MeasureKind;
  readonly account_id: number;
  readonly time: Date;
  readonly group_id: string | null;
  readonly agent_id: string | null;
  /** Duration; null for a measure without a duration. @units milliseconds */
  readonly ms: number | null;
}

/** The dimensions of a row of `metric_hours` besides its hour. */
const BREAKDOWNS = ["all", "group", "agent", "both"] as const;
export type MeasureBreakdown = (typeof BREAKDOWNS)[number];

/** A row of the table `metric_hours`, or an increment of a row. */
export interface HourCell {
  readonly account_id: number;
  readonly measure: MeasureKind;
  readonly cut: MeasureBreakdown;
  readonly hour: string;
  readonly group_id: string | null;
  readonly agent_id: string | null;
  count: number;
  sum_ms: number;
  min_ms: number | null;
  max_ms: number | null;
  readonly histogram: Map<number, number>;
}

/** Relative error of a value that is read from the histogram. */
const RELATIVE_ERROR = 0.01;
const BUCKET_RATIO = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GROWTH = Math.log(BUCKET_RATIO);

/**
 * Histogram bucket of a duration. Bucket widths grow by a constant factor: 1,400 buckets reach from a millisecond to thirty years, and
 * the histograms of hours add up to that of a year.
 */
export const bucketOf = (ms: number): number => (ms < 1 ? 0 : 1 + Math.ceil(Math.log(ms) / LOG_GROWTH - 1e-9));

/** The middle of a bucket. @units milliseconds */
export const bucketMiddle = (bucket: number): number =>
  bucket === 0 ? 0 : (2 * Math.exp((bucket - 1) * LOG_GROWTH)) / (BUCKET_RATIO + 1);

const HOUR_MS = 3_600_000;

/** Start of the hour (UTC) that contains a time. */
const hourOf = (time: Date): string => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS).toISOString();

const add = (cell: HourCell, ms: number | null): void => {
  cell.count += 1;
  if (ms === null) return;
  const bucket = bucketOf(ms);
  cell.sum_ms += ms;
  cell.min_ms = Math.min(cell.min_ms ?? ms, ms);
  cell.max_ms = Math.max(cell.max_ms ?? ms, ms);
  cell.histogram.set(bucket, (cell.histogram.get(bucket) ?? 0) + 1);
};

/** Adds measures up by hour, once for each breakdown. */
export const hourCells = (measures: readonly Measure[]): HourCell[] => {
  const cells = new Map<string, HourCell>();
  for (const { kind: measure, account_id, time, group_id, agent_id, ms } of measures)
    for (const cut of BREAKDOWNS) {
      const cell: HourCell = {
        account_id,
        measure,
        cut,
        hour: hourOf(time),
        group_id: cut === "group" || cut === "both" ? group_id : null,
        agent_id: cut === "agent" || cut === "both" ? agent_id : null,
        count: 0,
        sum_ms: 0,
        min_ms: null,
        max_ms: null,
        histogram: new Map(),
      };
      const key = [account_id, measure, cut, cell.hour, cell.group_id, cell.agent_id].join(" ");
      const present = cells.get(key) ?? cell;
      cells.set(key, present);
      add(present, ms);
    }
  return [...cells.values()];
};
