import { type ReportColumn, agentColumns, agentEmail, secondsBetween, rounded, eventReport } from "./columns.ts";
import { AGENT_ACTIVITY, AVAILABILITY, type ActivityRow, PERFORMANCE, type PerformanceRow } from "./agent-rows.sql.ts";

const agent: readonly ReportColumn<ActivityRow>[] = [
  ...agentColumns<ActivityRow>(({ agent_id }) => agent_id),
  agentEmail<ActivityRow>(),
];

/** Start, start of the next activity, and duration. The last activity of an agent has no end. */
const times: readonly ReportColumn<ActivityRow>[] = [
  { name: "created_at", value: ({ created_time }) => created_time },
  { name: "ended_at", value: ({ ended_time }) => ended_time },
  {
    name: "duration_in_seconds",
    value: ({ created_time, ended_time }) => secondsBetween(created_time, ended_time),
  },
];

/** Changes of agents' statuses. @assumed The creation and the deletion of an agent are changes too. */
export const agentActivity = eventReport<ActivityRow>({
  span: "month",
  step: "week",
  rows: AGENT_ACTIVITY,
  columns: [
    ...agent,
    { name: "from_status", value: ({ from_status }) => from_status },
    { name: "to_status", value: ({ to_status }) => to_status },
    { name: "availability_status", value: ({ availability_status }) => availability_status },
    ...times,
  ],
});

/** Changes of agents' availability for automatic assignment. */
export const agentIntelliassignActivity = eventReport<ActivityRow>({
  span: "month",
  step: "week",
  rows: AVAILABILITY,
  columns: [
    ...agent,
    { name: "availability_status", value: ({ availability_status }) => availability_status },
    ...times,
  ],
});

/** Results of each agent in the whole range. Deleted agents with results are listed by id. */
export const agentPerformance = eventReport<PerformanceRow>({
  span: "month",
  step: "whole",
  fromAnalytics: true,
  rows: PERFORMANCE,
  columns: [
    ...agentColumns<PerformanceRow>(({ agent_id }) => agent_id),
    agentEmail<PerformanceRow>(),
    { name: "start", value: (_, { from }) => from },
    { name: "end", value: (_, { to }) => to },
    { name: "assigned_conversations", value: ({ assigned }) => assigned },
    { name: "resolved_conversations", value: ({ resolved }) => resolved },
    { name: "responses", value: ({ responses }) => responses },
    { name: "first_response_time_in_seconds", value: (row) => rounded(row.first_response_time) },
    { name: "response_time_in_seconds", value: (row) => rounded(row.response_time) },
    { name: "resolution_time_in_seconds", value: (row) => rounded(row.resolution_time) },
    { name: "csat_ratings", value: ({ ratings }) => ratings },
    { name: "csat_average", value: ({ rating }) => rounded(rating) },
  ],
});
