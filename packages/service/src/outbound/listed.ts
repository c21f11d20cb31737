import type { MessageTemplate, OutboundMessage } from "@parley/contract";
import type { ListedRow } from "./db/requests.ts";

/** A row as callers see it. @assumed Of a deleted user the number is empty. */
export const messageOf = (row: ListedRow): OutboundMessage => ({
  message_id: row.message_id,
  request_id: row.request_id,
  from: { phone_number: row.sender },
  provider: row.provider,
  to: { phone_number: row.recipient ?? "" },
  data: { message_template: JSON.parse(row.template) as MessageTemplate },
  status: row.status,
  failure_code: row.failure_code ?? undefined,
  failure_reason: row.failure_reason ?? undefined,
  created_on: row.created_time.getTime(),
});
