import { between, conversationColumns } from "../columns.ts";
import { RESOLVED, type InteractionRow } from "../db/interactions.ts";
import { eventReport } from "../event.ts";

/** How long interactions took, by their resolution. */
export const resolutionTime = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromFacts: true,
  rows: RESOLVED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "agent_id", value: ({ resolved_agent_id }) => resolved_agent_id },
    { name: "group_id", value: ({ resolved_group_id }) => resolved_group_id },
    {
      name: "value_in_seconds",
      value: ({ created_time, resolved_time }) => between(created_time, resolved_time),
    },
    { name: "created_at", value: ({ resolved_time }) => resolved_time },
  ],
});
