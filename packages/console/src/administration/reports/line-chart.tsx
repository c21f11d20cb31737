import { scaleLinear, scalePoint } from "@visx/scale";
import { LinePath } from "@visx/shape";
import type { MetricInterval } from "@parley/contract";
import type { KeyboardEvent, PointerEvent } from "react";
import { axisOf } from "./axis.ts";
import { numberOf, type Figure } from "./figures.ts";
import { intervalName, intervalTick, tickIndexes } from "./intervals.ts";
import styles from "./line-chart.module.css";
import { reportMessages as texts } from "./messages.ts";
import { lineStyle, Point } from "./series-style.tsx";
import { useWidth } from "./use-width.ts";
import { formatValue } from "./values.ts";

/** @units pixels */
const HEIGHT = 220;
const MARGIN = { top: 8, right: 12, bottom: 26 } as const;
/** Space for the texts of the vertical axis. @shape longest: characters of the longest text */
const leftMargin = (longest: number): number => Math.max(52, 16 + longest * 6.5);
const TICK_WIDTH = 90;
/** More points than this are drawn without a mark each. */
const MARKED_MAX = 62;

interface Place {
  readonly x: number;
  readonly y: number | null;
}

interface LineChartProps {
  readonly figure: Figure;
  /** Indexes of the series to draw. */
  readonly drawn: readonly number[];
  readonly interval: MetricInterval;
  /** Index of the interval whose values are shown. */
  readonly selected: number;
  readonly onSelect: (index: number) => void;
}

/** -> the index after a key; undefined for other keys */
const indexAfter = (key: string, index: number, count: number): number | undefined => {
  const next: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - 10,
    PageUp: index + 10,
    Home: 0,
    End: count - 1,
  };
  const found = next[key];
  return found === undefined ? undefined : Math.min(Math.max(found, 0), count - 1);
};

/** Whether a point has no neighbour to be connected to: it would be invisible without a mark. */
const isAlone = (places: readonly Place[], index: number): boolean =>
  (places[index - 1]?.y ?? null) === null && (places[index + 1]?.y ?? null) === null;

/**
 * Lines over the intervals of a figure. It is a slider: pointer and arrow keys choose an interval, whose values are the text of the slider.
 * Screen readers have the table besides.
 */
export const LineChart = ({ figure, drawn, interval, selected, onSelect }: LineChartProps) => {
  const [width, ref] = useWidth();
  const { rows, title, unit, series } = figure;
  const axis = axisOf(figure, drawn);
  const left = leftMargin(Math.max(...axis.ticks.map((tick) => axis.textOf(tick).length)));
  const inner = Math.max(0, width - left - MARGIN.right);
  const bottom = HEIGHT - MARGIN.bottom;
  const x = scalePoint({
    domain: rows.map((_, index) => index),
    range: [left, left + inner],
    padding: 0.5,
  });
  const y = scaleLinear({ domain: [...axis.domain], range: [bottom, MARGIN.top] });
  const xOf = (index: number): number => x(index) ?? left;
  const lines = drawn.map((column) =>
    rows.map(({ values }, index): Place => {
      const value = numberOf(values[column] ?? "null");
      return { x: xOf(index), y: value === null ? null : y(value) };
    }),
  );
  const chosen = rows[selected];

  const move = (event: KeyboardEvent): void => {
    const next = indexAfter(event.key, selected, rows.length);
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next);
  };
  const point = (event: PointerEvent<HTMLDivElement>): void => {
    const offset = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
    const index = Math.floor((offset / Math.max(1, inner)) * rows.length);
    onSelect(Math.min(Math.max(index, 0), rows.length - 1));
  };
  const valueTexts = drawn.map((column) =>
    texts.valueOf(series[column]?.name ?? "", formatValue(chosen?.values[column] ?? "null", unit)),
  );
  return (
    <div
      ref={ref}
      className={styles.chart}
      role="slider"
      tabIndex={0}
      aria-label={texts.pointOf(title)}
      aria-valuemin={1}
      aria-valuemax={rows.length}
      aria-valuenow={selected + 1}
      aria-valuetext={[intervalName(chosen?.start ?? "", interval, figure.zone), ...valueTexts].join(", ")}
      onKeyDown={move}
      onPointerMove={point}
      onPointerDown={point}
    >
      <svg width={width} height={HEIGHT} aria-hidden>
        {axis.ticks.map((tick) => (
          <g key={tick}>
            <line className={styles.grid} x1={left} x2={left + inner} y1={y(tick)} y2={y(tick)} />
            <text className={styles.tick} x={left - 8} y={y(tick)} dy="0.32em" textAnchor="end">
              {axis.textOf(tick)}
            </text>
          </g>
        ))}
        {tickIndexes(rows.length, inner, TICK_WIDTH).map((index) => (
          <text key={index} className={styles.tick} x={xOf(index)} y={HEIGHT - 8} textAnchor="middle">
            {intervalTick(rows[index]?.start ?? "", interval, figure.zone)}
          </text>
        ))}
        <line className={styles.cursor} x1={xOf(selected)} x2={xOf(selected)} y1={MARGIN.top} y2={bottom} />
        {lines.map((places, place) => (
          <g key={drawn[place]}>
            <LinePath
              data={[...places]}
              defined={(each) => each.y !== null}
              x={(each) => each.x}
              y={(each) => each.y ?? 0}
              {...lineStyle(place)}
            />
            {places.map(
              (each, index) =>
                each.y !== null &&
                (rows.length <= MARKED_MAX || index === selected || isAlone(places, index)) && (
                  <Point key={rows[index]?.start} place={place} x={each.x} y={each.y} />
                ),
            )}
          </g>
        ))}
      </svg>
    </div>
  );
};
