import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  METRIC_AGGREGATORS,
  METRIC_INTERVALS,
  type MetricAggregator,
  type MetricHistory,
  type MetricInterval,
} from "@parley/contract";
import { aggregate, inInterval, referenceMetrics, type RandomAction, type MeasuredEvent } from "./reference-metrics.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const p = fileFixture(() => referenceMetrics("2026-01-28T21:10:00.000Z"));

const ACTS = [
  "begin",
  "user",
  "agent",
  "private",
  "bot",
  "agent to",
  "group to",
  "unassign",
  "resolve",
  "reopen",
] as const;
/** Mostly minutes, sometimes days. */
const after = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 900 }) },
  { weight: 1, arbitrary: fc.integer({ min: 3_600, max: 300_000 }) },
);
const acts: fc.Arbitrary<RandomAction[]> = fc.array(
  fc.record({ act: fc.constantFrom(...ACTS), which: fc.nat({ max: 7 }), who: fc.nat({ max: 5 }), after }),
  { minLength: 30, maxLength: 60, size: "max" },
);

const TIMES = [
  ["conversation_metrics.wait_time", "wait"],
  ["team_performance.first_response_time", "first_response"],
  ["team_performance.response_time", "response"],
  ["team_performance.resolution_time", "resolution"],
] as const;
const COUNTS = [
  ["conversation_metrics.created_interactions", "created"],
  ["conversation_metrics.assigned_interactions", "wait"],
  ["conversation_metrics.resolved_interactions", "resolution"],
  ["team_performance.responses_sent", "response"],
] as const;

type Grouping = "group" | "agent";

/** The events that a row of the response covers. */
const ofRow = (all: readonly MeasuredEvent[], { groupings }: MetricHistory["data"][number]): MeasuredEvent[] =>
  all.filter((each) => groupings.every(({ key, value }) => String(each[key as Grouping]) === value));

const expectTime = (returned: string, all: readonly MeasuredEvent[], aggregator: MetricAggregator) => {
  const expected = aggregate(all, aggregator);
  if (Number.isNaN(expected)) return expect(returned).toBe("null");
  const error = aggregator === "median" || aggregator === "90th_percentile" ? expected * 0.01 : 0;
  expect(Math.abs(Number(returned) - expected)).toBeLessThanOrEqual(error + 0.000_6);
};

/** Each series equals the naive count of the same events, and is complete. */
const expectSeries = (
  response: MetricHistory,
  all: readonly MeasuredEvent[],
  interval: MetricInterval | undefined,
  expectValue: (returned: string, found: readonly MeasuredEvent[]) => void,
) => {
  let seen = 0;
  for (const row of response.data) {
    const own = ofRow(all, row);
    seen += own.length;
    expect(row.series.length).toBeGreaterThan(0);
    for (const { start, values } of row.series) {
      expect(values).toHaveLength(1);
      expectValue(values[0]?.value ?? "", interval ? inInterval(own, start, interval) : own);
    }
    const sum = interval ? row.series.flatMap(({ start }) => inInterval(own, start, interval)).length : own.length;
    expect(sum).toBe(own.length);
  }
  expect(seen).toBe(all.length);
};

test("metrics equal a naive count of everything visible, for random conversations", async () => {
  await fc.assert(
    fc.asyncProperty(
      acts,
      fc.constantFrom(...METRIC_INTERVALS, undefined),
      fc.constantFrom("group", "agent", undefined),
      async (script, interval, group_by) => {
        for (const act of script) await p.perform(act);
        const all = await p.measuredEvents();
        const query = {
          start: "2026-01-28T21:00:00.000Z",
          end: new Date(p.nowMs() + 1).toISOString(),
          ...(interval && { interval }),
          ...(group_by && { group_by }),
        };
        for (const [metric, measure] of COUNTS) {
          const response = await p.client.metrics.getHistoricalMetric({ query: { ...query, metric } });
          expectSeries(
            response,
            all.filter((each) => each.measure === measure),
            interval,
            (returned, found) => expect(returned).toBe(String(found.length)),
          );
        }
        for (const [metric, measure] of TIMES)
          for (const aggregator of METRIC_AGGREGATORS) {
            const response = await p.client.metrics.getHistoricalMetric({ query: { ...query, metric, aggregator } });
            expectSeries(
              response,
              all.filter((each) => each.measure === measure),
              interval,
              (returned, found) => expectTime(returned, found, aggregator),
            );
          }
        const open = p.currentStates().filter(({ status }) => status !== "resolved");
        for (const [metric, rows] of [
          ["conversation_metrics.open", open],
          ["conversation_metrics.unassigned", open.filter(({ agent }) => agent === null)],
        ] as const) {
          const { data } = await p.client.metrics.getInstantMetric({
            query: { metric, ...(group_by && { group_by }) },
          });
          for (const { groupings, values } of data) {
            const own = rows.filter((row) =>
              groupings.every(({ key, value }) => String(row[key as Grouping]) === value),
            );
            expect(values).toEqual([{ key: metric, value: String(own.length) }]);
          }
          const total = data.reduce((sum, { values }) => sum + Number(values[0]?.value), 0);
          expect(total).toBe(rows.length);
        }
      },
    ),
    { numRuns: 6, endOnFailure: true },
  );
  // Each run counts the events of all earlier runs too.
});
