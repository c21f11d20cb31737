import type { HistoricalMetric, MetricHistory, RatingMetric } from "@parley/contract";
import type { Names } from "../../workspace/workspace.ts";
import { csvOf } from "./csv.ts";
import { reportMessages as texts } from "./messages.ts";
import type { ReportZone } from "./time-zone.ts";

type ReportedMetric =
  | Exclude<HistoricalMetric, "conversation_metrics.created_x_mins_ago_and_unassigned">
  | RatingMetric;

/** `count`: how many; `time`: seconds; `rating`: from 1 to 5. */
export type FigureUnit = "count" | "time" | "rating";

/** The replies that a report consists of: by interval, and for the whole span. */
export interface ReportHistories {
  readonly series: readonly MetricHistory[];
  readonly totals: readonly MetricHistory[];
}

interface ChartRule {
  readonly unit: FigureUnit;
  /** Drawn together unless the report is by group or agent. */
  readonly metrics: readonly ReportedMetric[];
}

const CHARTS: readonly ChartRule[] = [
  {
    unit: "count",
    metrics: [
      "conversation_metrics.created_interactions",
      "conversation_metrics.assigned_interactions",
      "conversation_metrics.resolved_interactions",
    ],
  },
  { unit: "time", metrics: ["team_performance.first_response_time"] },
  { unit: "time", metrics: ["team_performance.response_time"] },
  { unit: "time", metrics: ["team_performance.resolution_time"] },
  { unit: "time", metrics: ["conversation_metrics.wait_time"] },
  { unit: "count", metrics: ["team_performance.responses_sent"] },
  { unit: "rating", metrics: ["csat.average"] },
  { unit: "count", metrics: ["csat.ratings"] },
];

/** A line of a chart and a column of its table. */
interface FigureSeries {
  /** A metric; or a group or an agent. */
  readonly name: string;
  /** The value of the whole span; null without measurements. */
  readonly total: number | null;
}

interface FigureRow {
  readonly start: string;
  readonly end: string;
  /** Texts as the API sends them: a number or `null`; in the order of the series. */
  readonly values: readonly string[];
}

/** The numbers of one chart, of its table and of its file. */
export interface Figure {
  /** Name for files. */
  readonly id: string;
  readonly title: string;
  readonly unit: FigureUnit;
  readonly isGrouped: boolean;
  readonly series: readonly FigureSeries[];
  readonly rows: readonly FigureRow[];
  /** In which its days begin. */
  readonly zone: ReportZone;
}

/** -> undefined if there is no value. @shape text: of the API */
export const numberOf = (text: string): number | null => (text === "null" ? null : Number(text));

const valueIn = (values: readonly { readonly key: string; readonly value: string }[], metric: string): string =>
  values.find(({ key }) => key === metric)?.value ?? "null";

/** The data of one group or agent, or of all. */
type Part = MetricHistory["data"][number];

const keyOf = ({ groupings }: Part): string => groupings[0]?.value ?? "";

const nameOfPart = ({ groupings: [grouping] }: Part, names: Pick<Names, "group" | "agent">): string => {
  if (!grouping) return "";
  const { key, value } = grouping;
  if (key === "group") return value === "null" ? texts.noGroup : names.group(value);
  return value === "null" ? texts.noAgent : names.agent(value);
};

/** Two agents can have the same name: each then has its id too. */
const uniqueNames = (parts: readonly Part[], names: Pick<Names, "group" | "agent">): readonly string[] => {
  const plain = parts.map((part) => nameOfPart(part, names));
  return plain.map((name, index) =>
    plain.indexOf(name) === plain.lastIndexOf(name) ? name : `${name} (${keyOf(parts[index] as Part)})`,
  );
};

const historyWith = (histories: readonly MetricHistory[], metric: string): MetricHistory | undefined =>
  histories.find(({ metrics }) => metrics.includes(metric));

const totalOf = ({ totals }: ReportHistories, metric: string, key: string): number | null => {
  const part = historyWith(totals, metric)?.data.find((each) => keyOf(each) === key);
  return numberOf(valueIn(part?.series[0]?.values ?? [], metric));
};

const rowsOf = (
  parts: readonly Part[],
  valuesAt: (part: Part, index: number) => readonly string[],
): readonly FigureRow[] =>
  (parts[0]?.series ?? []).map(({ start, end }, index) => ({
    start,
    end,
    values: parts.flatMap((part) => valuesAt(part, index)),
  }));

const idOf = (metrics: readonly string[]): string =>
  metrics.length > 1 ? "conversations" : (metrics[0] ?? "").replace(/^.*\./, "").replace(/^average$/, "csat_average");

/** All metrics of a chart, a series each. */
const combined = (histories: ReportHistories, { unit, metrics }: ChartRule): Omit<Figure, "zone"> => {
  const history = historyWith(histories.series, metrics[0] ?? "");
  return {
    id: idOf(metrics),
    title: metrics.length > 1 ? texts.conversations : texts[metrics[0] ?? "csat.ratings"],
    unit,
    isGrouped: false,
    series: metrics.map((metric) => ({ name: texts[metric], total: totalOf(histories, metric, "") })),
    rows: rowsOf(history?.data ?? [], ({ series }, index) =>
      metrics.map((metric) => valueIn(series[index]?.values ?? [], metric)),
    ),
  };
};

/** One metric, a series for each group or agent. */
const grouped = (
  histories: ReportHistories,
  unit: FigureUnit,
  metric: ReportedMetric,
  names: Pick<Names, "group" | "agent">,
): Omit<Figure, "zone"> => {
  const parts = historyWith(histories.series, metric)?.data ?? [];
  const shown = uniqueNames(parts, names);
  return {
    id: idOf([metric]),
    title: texts[metric],
    unit,
    isGrouped: true,
    series: parts.map((part, index) => ({
      name: shown[index] ?? "",
      total: totalOf(histories, metric, keyOf(part)),
    })),
    rows: rowsOf(parts, ({ series }, index) => [valueIn(series[index]?.values ?? [], metric)]),
  };
};

/** -> the charts of a report */
export const figuresOf = (
  histories: ReportHistories,
  isGrouped: boolean,
  names: Pick<Names, "group" | "agent">,
  zone: ReportZone,
): readonly Figure[] =>
  CHARTS.flatMap((chart) =>
    isGrouped
      ? chart.metrics.map((metric) => grouped(histories, chart.unit, metric, names))
      : [combined(histories, chart)],
  ).map((figure) => ({ ...figure, zone }));

/** Whether nothing was measured or counted. */
export const isEmptyFigure = ({ rows, unit }: Figure): boolean =>
  rows.every(({ values }) => values.every((value) => value === "null" || (unit === "count" && value === "0")));

/** Lines that a person can tell apart. The table has all series. */
const DRAWN_MAX = 6;

/** -> indexes of the series that are drawn: those with the highest values over the whole span, in their order */
export const drawnSeries = ({ series }: Pick<Figure, "series">): readonly number[] =>
  series
    .map(({ total }, index) => ({ total: total ?? -1, index }))
    .sort((one, other) => other.total - one.total)
    .slice(0, DRAWN_MAX)
    .map(({ index }) => index)
    .sort((one, other) => one - other);

/** The figures as a file. Durations are in seconds; without a value the cell is empty. */
export const figureCsv = ({ title, unit, isGrouped, series, rows, zone }: Figure): string => {
  const unitText = unit === "time" ? texts.inSeconds : (name: string) => name;
  const nameOf = (name: string): string => unitText(isGrouped ? `${name}: ${title}` : name);
  const header = [texts.startColumn(zone.name), texts.endColumn(zone.name), ...series.map(({ name }) => nameOf(name))];
  return csvOf([
    header,
    ...rows.map(({ start, end, values }) => [
      ...[start, end].map((time) => zone.isoTime(Date.parse(time))),
      ...values.map((value) => (value === "null" ? "" : value)),
    ]),
  ]);
};
