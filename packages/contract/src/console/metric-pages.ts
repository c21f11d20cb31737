import Type, { type Static } from "typebox";
import { INVALID_METRIC_RANGE, METRIC_INTERVALS, MetricHistory, metricTimezone } from "../api/metrics.ts";
import { Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { CONSOLE_API } from "./inbox.ts";

/** Values of `getRatingHistory`: the average of the ratings from 1 to 5, and their number. Ratings without a number are not contained. */
export const RATING_METRICS = ["csat.average", "csat.ratings"] as const;
export type RatingMetric = (typeof RATING_METRICS)[number];

const SPEC = "Endpoints > Reports";
const supervisors = { session: sessionsOf("SUPER_USER", "all") };

/** Whether metrics contain everything that happened before the request. */
export const MetricState = Type.Object(
  {
    is_behind: Type.Boolean({
      description: "true: the latest events are not contained yet. A reading waits for them for up to one second.",
    }),
  },
  { title: "MetricState" },
);
export type MetricState = Static<typeof MetricState>;

/** Endpoints of the page of reports besides the metrics of the API. */
export const metricPages = {
  getRatingHistory: endpoint({
    route: `GET ${CONSOLE_API}/metrics/ratings`,
    summary: "Read the average and the number of the ratings over time, in the form of a metric",
    spec: SPEC,
    access: supervisors,
    query: Type.Object({
      start: Time,
      end: Time,
      interval: Type.Optional(Type.Enum([...METRIC_INTERVALS])),
      timezone: metricTimezone,
      group_by: Type.Optional(
        Type.Enum(["group", "agent"], {
          description:
            "The agent to whom the conversation was assigned when it was rated; the group of its interaction.",
        }),
      ),
      filter_by: Type.Optional(
        Type.String({ maxLength: 4_096, description: "`group:<id>`, `agent:<id>`, several separated by commas." }),
      ),
    }),
    reply: { code: 200, body: MetricHistory },
    problems: [INVALID_METRIC_RANGE],
  }),
  getMetricState: endpoint({
    route: `GET ${CONSOLE_API}/metrics/state`,
    summary: "Get whether metrics contain the latest events",
    spec: SPEC,
    access: supervisors,
    reply: { code: 200, body: MetricState },
  }),
};
