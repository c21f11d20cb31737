import { HISTORICAL_METRICS, type HistoricalMetric, type MetricAggregator, type MetricFamily } from "@parley/contract";
import type { MeasureKind } from "../facts/measure.ts";

/** How a metric is read from what was measured. */
export interface MetricRule {
  readonly measure: MeasureKind;
  /** How many there were, or how long they took. */
  readonly value: "count" | "time";
}

/** The metric that is asked of the present, whatever its range. */
export const UNASSIGNED = "conversation_metrics.created_x_mins_ago_and_unassigned";
export type MetricOverTime = Exclude<HistoricalMetric, typeof UNASSIGNED>;

/**
 * What each metric counts or times, at the hour in which it happened, with the group and the agent that the conversation had then.
 * @assumed An interaction counts as assigned when it gets its first agent, and waits from its beginning until then; a response counts for
 * the agent who gave it; resolution_time goes from an interaction's beginning to its resolution.
 */
export const METRICS: Readonly<Record<MetricOverTime, MetricRule>> = {
  "conversation_metrics.created_interactions": { measure: "created", value: "count" },
  "conversation_metrics.assigned_interactions": { measure: "wait", value: "count" },
  "conversation_metrics.resolved_interactions": { measure: "resolution", value: "count" },
  "conversation_metrics.wait_time": { measure: "wait", value: "time" },
  "team_performance.first_response_time": { measure: "first_response", value: "time" },
  "team_performance.response_time": { measure: "response", value: "time" },
  "team_performance.resolution_time": { measure: "resolution", value: "time" },
  "team_performance.responses_sent": { measure: "response", value: "count" },
};

const isOverTime = (metric: HistoricalMetric): metric is MetricOverTime => metric !== UNASSIGNED;

/** The metrics that a name stands for: itself, or all of a family. */
export const metricsOf = (name: MetricOverTime | MetricFamily): readonly MetricOverTime[] =>
  HISTORICAL_METRICS.filter(isOverTime).filter((metric) => metric === name || metric.startsWith(`${name}.`));

/** The part of the values that lies at or below the one to show; undefined: it is not read from the histogram. */
export const SHARES: Readonly<Record<MetricAggregator, number | undefined>> = {
  avg: undefined,
  min: undefined,
  max: undefined,
  median: 0.5,
  "90th_percentile": 0.9,
};
