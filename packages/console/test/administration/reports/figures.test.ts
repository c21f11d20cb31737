import "../../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import type { MetricHistory } from "@parley/contract";

const { drawnSeries, figureCsv, figuresOf, isEmptyFigure } =
  await import("../../../src/administration/reports/figures.ts");
const { reportZone } = await import("../../../src/administration/reports/time-zone.ts");
const { summaryOf } = await import("../../../src/administration/reports/summary.ts");

const CREATED = "conversation_metrics.created_interactions";
const RESPONSE = "team_performance.response_time";
const SPAN = { start: "2026-03-02T00:00:00.000Z", end: "2026-03-04T00:00:00.000Z" };
const DAYS = [
  { start: SPAN.start, end: "2026-03-03T00:00:00.000Z" },
  { start: "2026-03-03T00:00:00.000Z", end: SPAN.end },
];
const UTC = reportZone("UTC");
const names = { group: (id: string) => ({ g1: "Support", g2: "=Sales" })[id] ?? "Former group", agent: () => "Mia" };

/** @shape values: by key of a group or agent (empty: no grouping), a text for each day */
const history = (
  metric: string,
  values: Readonly<Record<string, readonly string[]>>,
  key = "group",
  spans = DAYS,
): MetricHistory => ({
  metrics: [metric],
  data: Object.entries(values).map(([value, texts]) => ({
    groupings: value === "" ? [] : [{ key, value }],
    series: texts.map((text, index) => ({ ...(spans[index] ?? SPAN), values: [{ key: metric, value: text }] })),
  })),
  ...SPAN,
});
const total = (metric: string, values: Readonly<Record<string, string>>, key?: string) =>
  history(metric, Object.fromEntries(Object.entries(values).map(([name, text]) => [name, [text]])), key, [SPAN]);

const figure = (
  metric: string,
  values: Readonly<Record<string, readonly string[]>>,
  totals: Readonly<Record<string, string>>,
  key?: string,
  zone = UTC,
) => {
  const isGrouped = !("" in values);
  const histories = { series: [history(metric, values, key)], totals: [total(metric, totals, key)] };
  const found = figuresOf(histories, isGrouped, names, zone).find(({ id }) =>
    !isGrouped && metric === CREATED ? id === "conversations" : metric.endsWith(`.${id}`),
  );
  if (!found) throw new Error(`There is no chart of ${metric}.`);
  return found;
};

describe("without a grouping", () => {
  test("conversations are one chart with three series, and other metrics are a chart each", () => {
    const figures = figuresOf({ series: [history(CREATED, { "": ["1", "2"] })], totals: [] }, false, names, UTC);
    expect(figures.map(({ id, series }) => [id, series.length])).toEqual([
      ["conversations", 3],
      ["first_response_time", 1],
      ["response_time", 1],
      ["resolution_time", 1],
      ["wait_time", 1],
      ["responses_sent", 1],
      ["csat_average", 1],
      ["ratings", 1],
    ]);
  });

  test("a table has the texts of the API, and the total is that of the whole span", () => {
    const { rows, series } = figure(RESPONSE, { "": ["21.25", "null"] }, { "": "21.25" });
    expect(rows).toEqual([
      { ...DAYS[0], values: ["21.25"] },
      { ...DAYS[1], values: ["null"] },
    ]);
    expect(series).toEqual([{ name: "Response time", total: 21.25 }]);
  });
});

describe("by group or agent", () => {
  test("each metric is a chart with a series for each group, and conversations without one have a name", () => {
    const { title, series, rows } = figure(
      CREATED,
      { g1: ["1", "2"], gone: ["3", "4"], null: ["0", "5"] },
      { g1: "3", gone: "7", null: "5" },
    );
    expect(title).toBe("Created conversations");
    expect(series).toEqual([
      { name: "Support", total: 3 },
      { name: "Former group", total: 7 },
      { name: "No group", total: 5 },
    ]);
    expect(rows.map(({ values }) => values)).toEqual([
      ["1", "3", "0"],
      ["2", "4", "5"],
    ]);
  });

  test("agents with the same name have their ids too", () => {
    const { series } = figure(CREATED, { a1: ["1", "1"], a2: ["1", "1"] }, { a1: "2", a2: "2" }, "agent");
    expect(series.map(({ name }) => name)).toEqual(["Mia (a1)", "Mia (a2)"]);
  });

  test("the six highest series are drawn, in their order", () => {
    const totals = [1, 9, null, 3, 8, 7, 2, 6].map((value) => ({ name: "", total: value }));
    expect(drawnSeries({ series: totals })).toEqual([1, 3, 4, 5, 6, 7]);
  });
});

describe("the file of a chart", () => {
  test("has a header, times in ISO 8601, seconds, and empty cells where there is no value", () => {
    expect(figureCsv(figure(RESPONSE, { "": ["21.25", "null"] }, { "": "21.25" }))).toBe(
      [
        '"Start (UTC)","End (UTC)","Response time (seconds)"',
        '"2026-03-02T00:00:00Z","2026-03-03T00:00:00Z","21.25"',
        '"2026-03-03T00:00:00Z","2026-03-04T00:00:00Z",""',
        "",
      ].join("\r\n"),
    );
  });

  test("has the times of the account's time zone", () => {
    const berlin = reportZone("Europe/Berlin");
    const text = figureCsv(figure(RESPONSE, { "": ["21.25", "null"] }, { "": "21.25" }, undefined, berlin));
    expect(text.split("\r\n").slice(0, 2)).toEqual([
      '"Start (Europe/Berlin)","End (Europe/Berlin)","Response time (seconds)"',
      '"2026-03-02T01:00:00+01:00","2026-03-03T01:00:00+01:00","21.25"',
    ]);
  });

  test("names each group with the metric, without formulas", () => {
    const text = figureCsv(figure(CREATED, { g1: ["1", "2"], g2: ["3", "4"] }, { g1: "3", g2: "7" }));
    expect(text.split("\r\n")[0]).toBe(
      `"Start (UTC)","End (UTC)","Support: Created conversations","'=Sales: Created conversations"`,
    );
  });
});

describe("the summary of a chart", () => {
  test.each([
    [
      "a duration",
      figure(RESPONSE, { "": ["100", "20"] }, { "": "60" }),
      /^Over the whole span: 1m\. Highest: 1m 40s \(.*Mar 2, 2026\)\.$/,
    ],
    [
      "groups",
      figure(CREATED, { g1: ["1", "2"], null: ["3", "4"] }, { g1: "3", null: "7" }),
      /^Over the whole span: Support 3, No group 7\. Highest: No group 4 \(.*Mar 3, 2026\)\.$/,
    ],
    ["nothing measured", figure(RESPONSE, { "": ["null", "null"] }, { "": "null" }), /^No data in this span\.$/],
    ["nothing counted", figure(CREATED, { g1: ["0", "0"] }, { g1: "0" }), /^No data in this span\.$/],
  ])("of %s", (_, shown, text) => {
    expect(summaryOf(shown, "1d")).toMatch(text);
    expect(isEmptyFigure(shown)).toBe(text.source.startsWith("^No data"));
  });

  test("says how many groups are only in the table", () => {
    const ids = Array.from({ length: 8 }, (_, index) => `g${index + 10}`);
    const values = Object.fromEntries(ids.map((id) => [id, ["1", "1"]]));
    expect(summaryOf(figure(CREATED, values, Object.fromEntries(ids.map((id) => [id, "2"]))), "1d")).toContain(
      "2 more in the table",
    );
  });
});
