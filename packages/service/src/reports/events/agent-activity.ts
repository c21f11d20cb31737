import type { Column } from "../column.ts";
import { agentColumns, agentEmail, between } from "../columns.ts";
import { ACTIVITY, AVAILABILITY, type ActivityRow } from "../db/activity.ts";
import { eventReport } from "../event.ts";

const agent: readonly Column<ActivityRow>[] = [
  ...agentColumns<ActivityRow>(({ agent_id }) => agent_id),
  agentEmail<ActivityRow>(),
];

/** When it began, when the next one did, and the time between; the last of an agent has no end. */
const times: readonly Column<ActivityRow>[] = [
  { name: "created_at", value: ({ created_time }) => created_time },
  { name: "ended_at", value: ({ ended_time }) => ended_time },
  {
    name: "duration_in_seconds",
    value: ({ created_time, ended_time }) => between(created_time, ended_time),
  },
];

/** Changes of agents' statuses. @assumed An agent's creation and deletion are changes too. */
export const agentActivity = eventReport<ActivityRow>({
  span: "month",
  step: "week",
  rows: ACTIVITY,
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
