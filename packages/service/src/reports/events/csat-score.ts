import { agentColumns } from "../columns.ts";
import { RATINGS, type RatingRow } from "../db/csat.ts";
import { eventReport } from "../event.ts";

/** Ratings. @assumed csat_response is the free feedback. */
export const csatScore = eventReport<RatingRow>({
  span: "month",
  step: "week",
  rows: RATINGS,
  columns: [
    { name: "csat_id", value: ({ id }) => id },
    { name: "conversation_id", value: ({ conversation_id }) => conversation_id },
    { name: "value", value: ({ rating }) => rating },
    { name: "csat_response", pii: true, value: ({ additional_feedback }) => additional_feedback },
    { name: "created_at", value: ({ created_time }) => created_time },
    ...agentColumns<RatingRow>(({ agent_id }) => agent_id),
  ],
});
