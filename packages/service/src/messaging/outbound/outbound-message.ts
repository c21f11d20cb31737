import { gather, type Db } from "@parley/database";
import { readMessages, type OutboundRequestRow } from "./requests.sql.ts";
import type { Changes, MessageTemplate, OutboundMessage, OutboundStatus } from "@parley/contract";

/**
 * States from which each status can be reached. Transitions only go forward; Delivered and Failed are final.
 * @spec States and transitions > Other state sets
 * @assumed Delivered or Failed may be reported before Sent, which is then skipped.
 */
export const STATUSES_BEFORE: Readonly<Record<OutboundStatus, readonly OutboundStatus[]>> = {
  Accepted: [],
  Sent: ["Accepted"],
  Delivered: ["Accepted", "Sent"],
  Failed: ["Accepted", "Sent"],
};

/** Why a message failed, in the provider's words if there are any. */
export interface OutboundFailure {
  readonly code: string;
  readonly reason: string;
}

/** A status reported by a provider. */
export type StatusReport =
  | { readonly status: "Sent" | "Delivered" }
  | { readonly status: "Failed"; readonly failure: OutboundFailure };

/** Reads the messages of events; concurrent reads share one statement. -> undefined for an unknown id */
export const outboundEventMessages = (db: Db): ((id: string) => Promise<OutboundRequestRow | undefined>) =>
  gather<string, OutboundRequestRow | undefined>({
    name: "outbound messages",
    maxBatch: 64,
    maxInFlight: 2,
    maxQueue: Number.MAX_SAFE_INTEGER,
    run: (ids) => readMessages(db, ids),
  });

/** Converts a row to the API's representation. @assumed The number of a deleted user is empty. */
export const outboundMessageOf = (row: OutboundRequestRow): OutboundMessage => ({
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
 * A message in the status reported by an event; the row may have a later status.
 * @shape changes: JSON text of the contract's `Changes`
 */
export const outboundMessageAt = (row: OutboundRequestRow, changes: string | null): OutboundMessage => {
  const reportedStatus = changes === null ? undefined : (JSON.parse(changes) as Changes).model_changes["status"]?.[1];
  const { failure_code, failure_reason, ...message } = outboundMessageOf(row);
  const status = (reportedStatus as OutboundStatus | undefined) ?? row.status;
  return { ...message, status, ...(status === "Failed" && { failure_code, failure_reason }) };
};
