import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { GROUP_NOT_FOUND } from "./groups.ts";
import { MISSING_PARAMETER } from "./problems.ts";
import { ShortText, Time } from "./values.ts";

/** @assumed Metrics, like everything in this file, follow public documents: they exist on the real API and are not in the specification's tables. */
export const HISTORICAL_METRICS = [
  "conversation_metrics.created_interactions",
  "conversation_metrics.assigned_interactions",
  "conversation_metrics.resolved_interactions",
  "conversation_metrics.wait_time",
  "conversation_metrics.created_x_mins_ago_and_unassigned",
  "team_performance.first_response_time",
  "team_performance.response_time",
  "team_performance.resolution_time",
  "team_performance.responses_sent",
] as const;
export type HistoricalMetric = (typeof HISTORICAL_METRICS)[number];

/**
 * Families return several metrics in one response; each value names its metric.
 * @assumed A family contains all metrics with its prefix except the one of the current time.
 */
export const METRIC_FAMILIES = ["conversation_metrics", "team_performance"] as const;
export type MetricFamily = (typeof METRIC_FAMILIES)[number];

/** @assumed All but `team_presence.online`, which is documented. */
export const INSTANT_METRICS = [
  "team_presence.online",
  "team_presence.available",
  "conversation_metrics.open",
  "conversation_metrics.unassigned",
] as const;
export type InstantMetric = (typeof INSTANT_METRICS)[number];

/** A week begins on Monday. */
export const METRIC_INTERVALS = ["1h", "1d", "1W", "1M"] as const;
export type MetricInterval = (typeof METRIC_INTERVALS)[number];
export const METRIC_AGGREGATORS = ["avg", "max", "min", "median", "90th_percentile"] as const;
export type MetricAggregator = (typeof METRIC_AGGREGATORS)[number];

const Pair = Type.Object({ key: Type.String(), value: Type.String({ description: 'A number, or "null".' }) });
const GroupBy = Type.Enum(["group", "agent"]);
const filterBy = Type.Optional(
  Type.String({
    maxLength: 4_096,
    description:
      "Comma-separated ids of groups or agents: `group:<id>`, `agent:<id>` (or with = in place of the colon).",
  }),
);

/** Values are strings; `series` and its `values` are never empty. @units times: seconds */
export const MetricHistory = Type.Object(
  {
    metrics: Type.Array(Type.String()),
    aggregator: Type.Optional(Type.String({ description: "Absent if every metric is a count." })),
    data: Type.Array(
      Type.Object({
        groupings: Type.Array(Pair),
        series: Type.Array(Type.Object({ start: Time, end: Time, values: Type.Array(Pair) })),
      }),
    ),
    start: Time,
    end: Time,
    interval: Type.Optional(Type.String()),
    timezone: Type.Optional(Type.String({ description: "That of the request." })),
  },
  { title: "MetricHistory" },
);
export type MetricHistory = Static<typeof MetricHistory>;

export const MetricNow = Type.Object(
  {
    metric: Type.String(),
    filters: Type.Array(Pair),
    data: Type.Array(Type.Object({ groupings: Type.Array(Pair), values: Type.Array(Pair) })),
  },
  { title: "MetricNow" },
);
export type MetricNow = Static<typeof MetricNow>;

/** @assumed The parameter. Without it, days begin at midnight in UTC, as all date values are UTC. */
export const metricTimezone = Type.Optional(
  Type.String({
    maxLength: 64,
    description: "Time zone in which days, weeks and months begin, such as Europe/Berlin. Default: UTC.",
  }),
);

/** The end of the range precedes its start, or the range has more intervals than a response can contain. The message says which. @assumed */
export const INVALID_METRIC_RANGE = problem({
  code: 400,
  status: "INVALID_METRIC_RANGE",
  message: "The metric can't be shown over this range.",
});

export const metrics = {
  getHistoricalMetric: endpoint({
    route: "GET /metrics/historical",
    summary: "Read a metric over time",
    spec: "Endpoints > Reports",
    access: { token: "metric:read", session: sessionsOf("SUPER_USER", "all") },
    query: Type.Object({
      metric: Type.Enum([...HISTORICAL_METRICS, ...METRIC_FAMILIES]),
      start: Time,
      end: Time,
      interval: Type.Optional(Type.Enum([...METRIC_INTERVALS])),
      timezone: metricTimezone,
      aggregator: Type.Optional(Type.Enum([...METRIC_AGGREGATORS], { description: "For metrics that are durations." })),
      group_by: Type.Optional(GroupBy),
      filter_by: filterBy,
      x_time: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 525_600,
          description: "Minutes; mandatory for created_x_mins_ago_and_unassigned.",
        }),
      ),
    }),
    reply: { code: 200, body: MetricHistory },
    problems: [INVALID_METRIC_RANGE, MISSING_PARAMETER],
  }),
  getInstantMetric: endpoint({
    route: "GET /metrics/instant",
    summary: "Read the current value of a metric",
    spec: "Endpoints > Reports",
    access: { token: "metric:read", session: sessionsOf("SUPER_USER", "all") },
    query: Type.Object({
      metric: Type.Enum([...INSTANT_METRICS]),
      group_by: Type.Optional(GroupBy),
      filter_by: filterBy,
    }),
    reply: { code: 200, body: MetricNow },
  }),
};

export const businessHours = {
  getWithinBusinessHours: endpoint({
    route: "GET /business-hours/within-bh",
    summary: "Get whether the business is open, now or at a given time",
    spec: "Endpoints > Reports",
    access: { token: "business-hours:read", session: sessionsOf("AGENT", "account") },
    query: Type.Object({
      time: Type.Optional(Type.String({ format: "date-time" })),
      group_id: Type.Optional(ShortText),
    }),
    reply: {
      code: 200,
      body: Type.Object({
        within_business_hours: Type.Boolean(),
        time: Time,
        timezone: Type.String(),
        next_change_time: Type.Optional(Time),
      }),
    },
    problems: [GROUP_NOT_FOUND],
  }),
};
