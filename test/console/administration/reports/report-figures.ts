import { readFile } from "node:fs/promises";
import type { MetricHistory } from "@parley/contract";
import type { Locator, Page } from "playwright-core";

/** What a chart of the page of reports shows, and what the API says about it. */

/** The charts without a grouping, with the metrics of their columns. */
export const CHARTS: readonly (readonly [title: string, metrics: readonly string[]])[] = [
  [
    "Conversations",
    [
      "conversation_metrics.created_interactions",
      "conversation_metrics.assigned_interactions",
      "conversation_metrics.resolved_interactions",
    ],
  ],
  ["First response time", ["team_performance.first_response_time"]],
  ["Response time", ["team_performance.response_time"]],
  ["Resolution time", ["team_performance.resolution_time"]],
  ["Wait until assignment", ["conversation_metrics.wait_time"]],
  ["Responses", ["team_performance.responses_sent"]],
  ["Customer satisfaction (CSAT)", ["csat.average"]],
  ["Ratings", ["csat.ratings"]],
];

export const chartOf = (page: Page, title: string): Locator => page.getByRole("region", { name: title, exact: true });

/** -> a record of texts for each interval: its start, its end and the values; empty where nothing was measured */
export const recordsOf = (histories: readonly MetricHistory[], metrics: readonly string[]): string[][] => {
  const history = histories.find((each) => each.metrics.includes(metrics[0] ?? ""));
  if (!history) throw new Error(`The API did not send ${metrics[0]}.`);
  return (history.data[0]?.series ?? []).map(({ start, end }, index) => [
    start,
    end,
    ...history.data.flatMap(({ series }) =>
      metrics.map((metric) => {
        const value = series[index]?.values.find(({ key }) => key === metric)?.value ?? "";
        return value === "null" ? "" : value;
      }),
    ),
  ]);
};

/** Downloads the file of a chart. -> its name, its header and its records */
export const downloadedFigure = async (page: Page, title: string) => {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    chartOf(page, title)
      .getByRole("button", { name: `Download ${title} as CSV` })
      .click(),
  ]);
  const text = await readFile(await file.path(), "utf8");
  const lines = text.split("\r\n");
  if (lines.pop() !== "") throw new Error("The last line of the file has no end.");
  const [header = [], ...shown] = lines.map((line) => line.slice(1, -1).split('","'));
  // The file has times of the account's time zone, the API has UTC.
  const records = shown.map(([start = "", end = "", ...values]) => [
    ...[start, end].map((time) => new Date(time).toISOString()),
    ...values,
  ]);
  return { name: file.suggestedFilename(), header, records };
};

const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };

/** -> a value of a table as the API writes it. @shape text: a number, `1h 2m 3.5s`, or the mark for no value */
const apiText = (text: string): string => {
  if (text.includes("No value")) return "";
  if (!/[a-z]/.test(text)) return text.replaceAll(",", "");
  const ms = text
    .split(" ")
    .reduce(
      (sum, part) => sum + Math.round(Number(part.slice(0, -1)) * 1_000) * (UNITS[part.slice(-1)] ?? Number.NaN),
      0,
    );
  return String(ms / 1_000);
};

/** -> the columns of a chart's table, and its values as the API writes them */
export const tableOf = async (page: Page, title: string) => {
  const table = chartOf(page, title).getByRole("table");
  const header = await table.getByRole("columnheader").allTextContents();
  const rows = await table.getByRole("row").all();
  const records = await Promise.all(
    rows.slice(1).map(async (row) => (await row.getByRole("cell").allTextContents()).map(apiText)),
  );
  return { header, records };
};
