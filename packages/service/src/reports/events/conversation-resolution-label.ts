import { agentColumns, conversationColumns, groupColumns } from "../columns.ts";
import { RESOLVED, type InteractionRow } from "../db/interactions.ts";
import { eventReport } from "../event.ts";

/** Resolutions with their label. @assumed No endpoint gives a resolution a label: the column is there and empty. */
export const conversationResolutionLabel = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromFacts: true,
  rows: RESOLVED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "resolution_label", value: () => "" },
    { name: "created_at", value: ({ resolved_time }) => resolved_time },
    ...agentColumns<InteractionRow>(({ resolved_agent_id }) => resolved_agent_id),
    ...groupColumns<InteractionRow>(({ resolved_group_id }) => resolved_group_id),
  ],
});
