import { scaleLinear } from "@visx/scale";
import { durationTicks } from "./durations.ts";
import { numberOf, type Figure } from "./figures.ts";
import { formatNumberOf } from "./values.ts";

/** The vertical axis of a chart. */
interface Axis {
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  readonly textOf: (tick: number) => string;
}

const TICKS = 5;
const RATINGS = [1, 2, 3, 4, 5] as const;

const countTicks = (maximum: number): readonly number[] =>
  scaleLinear({ domain: [0, maximum], nice: TICKS })
    .ticks(TICKS)
    .filter((tick) => Number.isInteger(tick));

/** From 0, or from the lowest rating, to at least the highest value that is drawn. */
export const axisOf = ({ rows, unit }: Figure, drawn: readonly number[]): Axis => {
  const textOf = (tick: number): string => formatNumberOf(tick, unit);
  if (unit === "rating") return { domain: [1, 5], ticks: RATINGS, textOf };
  const values = rows.flatMap((row) => drawn.map((column) => numberOf(row.values[column] ?? "null") ?? 0));
  const maximum = values.reduce((one, other) => Math.max(one, other), 0);
  const ticks = unit === "time" ? durationTicks(maximum) : countTicks(Math.max(1, maximum));
  return { domain: [0, Math.max(maximum, ticks.at(-1) ?? 1)], ticks, textOf };
};
