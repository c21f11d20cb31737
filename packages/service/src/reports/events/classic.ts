import {
  agentColumns,
  channelColumns,
  conversationColumns,
  conversationUrl,
  groupColumns,
  between,
} from "../columns.ts";
import { RATED, type InteractionRow } from "../db/interactions.ts";
import { eventReport } from "../event.ts";

/** Interactions by their beginning, with all that became of them. */
export const classic = eventReport<InteractionRow>({
  span: "month",
  step: "week",
  fromFacts: true,
  rows: RATED,
  columns: [
    ...conversationColumns<InteractionRow>(),
    { name: "customer_id", value: ({ user_id }) => user_id },
    ...channelColumns<InteractionRow>(),
    ...groupColumns<InteractionRow>(({ group_id }) => group_id),
    ...agentColumns<InteractionRow>(({ agent_id }) => agent_id),
    { name: "reopened", value: ({ reopened }) => reopened },
    { name: "created_at", value: ({ created_time }) => created_time },
    { name: "first_assigned_at", value: ({ first_assigned_time }) => first_assigned_time },
    { name: "first_response_at", value: ({ first_response_time }) => first_response_time },
    { name: "responses", value: ({ responses }) => responses },
    { name: "resolved_at", value: ({ resolved_time }) => resolved_time },
    {
      name: "resolution_time_in_seconds",
      value: ({ created_time, resolved_time }) => between(created_time, resolved_time),
    },
    { name: "csat_value", value: ({ rating }) => rating },
    conversationUrl<InteractionRow>(),
  ],
});
