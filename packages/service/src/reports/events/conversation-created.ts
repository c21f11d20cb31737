import { agentColumns, channelColumns, conversationColumns, conversationUrl, groupColumns } from "../columns.ts";
import { CREATED, type InteractionRow } from "../db/interactions.ts";
import { eventReport } from "../event.ts";

/** Interactions by their beginning. @assumed Group and agent are the last that the interaction had. */
export const conversationCreated = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromFacts: true,
  rows: CREATED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "created_at", value: ({ created_time }) => created_time },
    ...channelColumns<InteractionRow>(),
    ...groupColumns<InteractionRow>(({ group_id }) => group_id),
    ...agentColumns<InteractionRow>(({ agent_id }) => agent_id),
    { name: "reopened", value: ({ reopened }) => reopened },
    conversationUrl<InteractionRow>(),
  ],
});
