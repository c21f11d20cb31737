import type { Column } from "../column.ts";
import { agentColumns, conversationColumns, conversationUrl, groupColumns } from "../columns.ts";
import { AGENT_ASSIGNMENTS, GROUP_ASSIGNMENTS, type AssignmentRow } from "../db/assignments.ts";
import { eventReport } from "../event.ts";

/** Who assigned. */
const assignor: readonly Column<AssignmentRow>[] = [
  { name: "assignor_type", value: ({ actor_type }) => actor_type },
  { name: "assignor_id", value: ({ actor_id }) => actor_id },
];
const createdAt: Column<AssignmentRow> = { name: "created_at", value: ({ created_time }) => created_time };

/** Changes of the agent. @assumed An agent taken away is a row too, with no agent after it. */
export const conversationAgentAssigned = eventReport<AssignmentRow>({
  span: "month",
  step: "week",
  fromFacts: true,
  rows: AGENT_ASSIGNMENTS,
  columns: [
    ...conversationColumns<AssignmentRow>(),
    createdAt,
    ...agentColumns<AssignmentRow>(({ from_id }) => from_id, "from_"),
    ...agentColumns<AssignmentRow>(({ to_id }) => to_id),
    ...assignor,
    conversationUrl<AssignmentRow>(),
  ],
});

/** Changes of the group. @assumed A group taken away is a row too, with no group after it. */
export const conversationGroupAssigned = eventReport<AssignmentRow>({
  span: "month",
  step: "week",
  fromFacts: true,
  rows: GROUP_ASSIGNMENTS,
  columns: [
    ...conversationColumns<AssignmentRow>(),
    createdAt,
    ...groupColumns<AssignmentRow>(({ from_id }) => from_id, "from_"),
    ...groupColumns<AssignmentRow>(({ to_id }) => to_id),
    ...assignor,
    conversationUrl<AssignmentRow>(),
  ],
});
