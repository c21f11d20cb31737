import type { OutboundStatus } from "@parley/contract";
import { currentTraceParent } from "@parley/telemetry";
import { statement, type Db } from "@parley/database";
import { appendToLog, partitionOf } from "../../base/log/store.ts";
import { STATUSES_BEFORE, type StatusReport } from "./outbound-message.ts";

/** A message to be sent, with its content. */
export interface SendableRow {
  readonly id: string;
  readonly request_id: string;
  readonly account_id: number;
  readonly provider: string;
  readonly sender: string;
  readonly recipient: string | null;
  readonly template: string;
  readonly rendered: string;
  readonly status: OutboundStatus;
  readonly tries: number;
  readonly created_time: Date;
  readonly is_account_closed: boolean;
}

/** A message as a provider names it: by our id or by its own. */
interface ProviderMessageName {
  readonly provider: string;
  readonly message_id: string | undefined;
  readonly provider_message_id: string | undefined;
}

const READ = statement(
  "read_outbound_message",
  `select message.id, message.request_id, message.account_id, request.provider, request.sender, message.recipient,
          request.template, request.rendered, message.status, message.tries, message.created_time,
          account.closed_time is not null as is_account_closed
     from outbound_messages message
     join accounts account on account.id = message.account_id
     join outbound_requests request on request.id = message.request_id
    where message.id = $1`,
);
// Locks the row before drawing the log position, so that log order equals status order.
const MOVE = statement(
  "move_outbound_message",
  `with before as (
     select id, status from outbound_messages where id = $1 and status = any($2::text[]) for update
   ), moved as (
     update outbound_messages message
        set status = $3, failure_code = $4, failure_reason = $5, updated_time = $6,
            is_waiting = message.is_waiting and $3 <> 'Failed'
       from before
      where message.id = before.id
     returning message.id, message.account_id, before.status as old_status
   )
   ${appendToLog(
     {
       id: "$7::uuid",
       account_id: "account_id",
       partition: "$8::smallint",
       kind: "'outbound_message_update'",
       entity_id: "id",
       created_time: "$6",
       actor_type: "'system'",
       trace_parent: "$9::text",
       changes:
         "json_build_object('model_changes', json_build_object('status', json_build_array(old_status, $3::text)))::text",
     },
     "from moved",
   )}
   returning seq`,
);
const NAME = statement(
  "name_outbound_message",
  `update outbound_messages set provider_message_id = $2 where id = $1 and provider_message_id is null`,
);
const RESCHEDULE = statement(
  "try_outbound_message_again",
  `update outbound_messages set tries = tries + 1
    where id = $1 and tries = $2 and status = 'Accepted'
   returning tries`,
);
const FIND_BY_OWN_ID = statement(
  "find_outbound_message",
  `select message.id
     from outbound_messages message
     join outbound_requests request on request.id = message.request_id
    where message.id = $1::uuid and request.provider = $2`,
);
const FIND_BY_PROVIDER_ID = statement(
  "find_outbound_message_of_provider",
  `select message.id
     from outbound_messages message
     join outbound_requests request on request.id = message.request_id
    where message.provider_message_id = $1 and request.provider = $2`,
);

export const readSendable = (db: Db, id: string) => db.one<SendableRow>(READ, [id]);

/** Advances a message and logs the event. -> false if the transition is not allowed */
export const moveMessage = async (
  db: Db,
  id: string,
  report: StatusReport,
  { now, eventId }: { readonly now: Date; readonly eventId: string },
): Promise<boolean> => {
  const failure = report.status === "Failed" ? report.failure : undefined;
  const moved = await db.one(MOVE, [
    id,
    STATUSES_BEFORE[report.status],
    report.status,
    failure?.code ?? null,
    failure?.reason ?? null,
    now,
    eventId,
    partitionOf(id),
    currentTraceParent() ?? null,
  ]);
  return moved !== undefined;
};

/** Stores the provider's id of a message. */
export const nameMessage = (db: Db, id: string, providerMessageId: string) => db.rows(NAME, [id, providerMessageId]);

/** Counts a failed attempt. -> false if it was already counted or the message has advanced */
export const countTry = async (db: Db, id: string, tries: number): Promise<boolean> =>
  (await db.one(RESCHEDULE, [id, tries])) !== undefined;

/** -> id of the named message */
export const findNamed = async (db: Db, named: ProviderMessageName): Promise<string | undefined> => {
  const { message_id, provider_message_id, provider } = named;
  const found =
    message_id === undefined
      ? await db.one<{ id: string }>(FIND_BY_PROVIDER_ID, [provider_message_id ?? "", provider])
      : await db.one<{ id: string }>(FIND_BY_OWN_ID, [message_id, provider]);
  return found?.id;
};
