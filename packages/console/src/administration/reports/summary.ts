import type { MetricInterval } from "@parley/contract";
import { drawnSeries, isEmptyFigure, numberOf, type Figure } from "./figures.ts";
import { intervalName } from "./intervals.ts";
import { reportMessages as texts } from "./messages.ts";
import { formatNumberOf } from "./values.ts";

interface Peak {
  readonly column: number;
  readonly start: string;
  readonly value: number;
}

/** -> the highest value, the first one of several; undefined without any. @shape columns: the series to look at */
const peakOf = ({ rows }: Figure, columns: readonly number[]): Peak | undefined => {
  let peak: Peak | undefined;
  for (const { start, values } of rows)
    for (const column of columns) {
      const value = numberOf(values[column] ?? "null");
      if (value !== null && (peak === undefined || value > peak.value)) peak = { column, start, value };
    }
  return peak;
};

/** Summary of a chart in one or two sentences: the values of the whole span, and the highest value of an interval. */
export const summaryOf = (figure: Figure, interval: MetricInterval): string => {
  if (isEmptyFigure(figure)) return texts.nothing;
  const { series, unit } = figure;
  const isSingle = series.length === 1 && !figure.isGrouped;
  const named = (column: number, value: string): string =>
    isSingle ? value : texts.totalOf(series[column]?.name ?? "", value);
  const columns = drawnSeries(figure);
  const totals = columns.map((column) => {
    const total = series[column]?.total ?? null;
    return named(column, total === null ? texts.noValue : formatNumberOf(total, unit));
  });
  const left = series.length - columns.length;
  const peak = peakOf(figure, columns);
  return (
    [
      texts.wholeSpan([...totals, ...(left > 0 ? [texts.more(left)] : [])].join(", ")),
      ...(peak
        ? [
            texts.highest(
              named(peak.column, formatNumberOf(peak.value, unit)),
              intervalName(peak.start, interval, figure.zone),
            ),
          ]
        : []),
    ]
      // German abbreviations of units end with a dot: `0,2 Sek.`
      .map((sentence) => sentence.replace(/\.\.$/, "."))
      .join(" ")
  );
};
