import type { Statement } from "@parley/database";
import { conversationColumns, rounded } from "../columns.ts";
import { FIRST_RESPONSES, RESPONSES, type ResponseRow } from "../db/responses.ts";
import { eventReport } from "../event.ts";

const responseReport = (rows: Statement) =>
  eventReport<ResponseRow>({
    span: "month",
    step: "week",
    fromFacts: true,
    rows,
    columns: [
      ...conversationColumns<ResponseRow>(),
      { name: "agent_id", value: ({ agent_id }) => agent_id },
      { name: "group_id", value: ({ group_id }) => group_id },
      { name: "value_in_seconds", value: ({ value_in_seconds }) => rounded(value_in_seconds) },
      { name: "created_at", value: ({ created_time }) => created_time },
    ],
  });

/** How long users waited for answers. @assumed An interaction's first answer is one of them. */
export const responseTime = responseReport(RESPONSES);
/** How long users waited for the first answer of an interaction. */
export const firstResponseTime = responseReport(FIRST_RESPONSES);
