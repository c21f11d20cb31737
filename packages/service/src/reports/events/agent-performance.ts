import { agentColumns, agentEmail, rounded } from "../columns.ts";
import { PERFORMANCE, type PerformanceRow } from "../db/performance.ts";
import { eventReport } from "../event.ts";

/** What each agent did in the whole range; deleted agents who did something are there by their ids. */
export const agentPerformance = eventReport<PerformanceRow>({
  span: "month",
  step: "whole",
  fromFacts: true,
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
