import { agentColumns, conversationColumns, groupColumns } from "../columns.ts";
import { RESOLVED, type InteractionRow } from "../db/interactions.ts";
import { eventReport } from "../event.ts";

/** Interactions by their resolution; agent and group are those of that moment. */
export const conversationResolved = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromFacts: true,
  rows: RESOLVED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "created_at", value: ({ resolved_time }) => resolved_time },
    ...agentColumns<InteractionRow>(({ resolved_agent_id }) => resolved_agent_id),
    ...groupColumns<InteractionRow>(({ resolved_group_id }) => resolved_group_id),
    { name: "reopened", value: ({ reopened }) => reopened },
  ],
});
