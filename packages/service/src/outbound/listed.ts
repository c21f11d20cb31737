import type { Changes, MessageTemplate, OutboundMessage, OutboundStatus } from "@parley/contract";
import type { ListedRow } from "./db/requests.ts";

/** A row as callers see it. @assumed Of a deleted user the number is empty. */
export const messageOf = (row: ListedRow): OutboundMessage => ({
  message_id: row.message_id,
  request_id: row.request_id,
  from: { phone_number: row.sender },
  provider: row.provider,
  to: [{ phone_number: row.recipient ?? "" }],
  data: { message_template: JSON.parse(row.template) as MessageTemplate },
  status: row.status,
  failure_code: row.failure_code ?? undefined,
  failure_reason: row.failure_reason ?? undefined,
  created_on: row.created_time.getTime(),
});

/**
 * A message in the status that an event brought: a later one may stand in the row by now.
 * @shape changes: JSON text of the contract's `Changes`
 */
export const messageAt = (row: ListedRow, changes: string | null): OutboundMessage => {
  const told = changes === null ? undefined : (JSON.parse(changes) as Changes).model_changes["status"]?.[1];
  const { failure_code, failure_reason, ...message } = messageOf(row);
  const status = (told as OutboundStatus | undefined) ?? row.status;
  return { ...message, status, ...(status === "Failed" && { failure_code, failure_reason }) };
};
