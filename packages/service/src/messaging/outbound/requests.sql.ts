import type { OutboundStatus } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { phoneOf } from "./phone.ts";

/** Values that all messages of a request share. JSON is stored as text. */
interface RequestRow {
  readonly id: string;
  readonly account_id: number;
  readonly provider: string;
  /** The business's number. */
  readonly sender: string;
  /** As received. */
  readonly template: string;
  readonly rendered: string;
  readonly created_time: Date;
}

interface Recipient {
  readonly message_id: string;
  readonly phone_number: string;
}

/** A message with its request. */
export interface OutboundRequestRow {
  readonly message_id: string;
  readonly request_id: string;
  readonly provider: string;
  readonly sender: string;
  /** null: the user was deleted. */
  readonly recipient: string | null;
  readonly template: string;
  readonly status: OutboundStatus;
  readonly failure_code: string | null;
  readonly failure_reason: string | null;
  readonly created_time: Date;
}

const ADD = statement(
  "add_outbound_request",
  `with request as (
     insert into outbound_requests (id, account_id, provider, sender, template, rendered, created_time)
     values ($1, $2, $3, $4, $5, $6, $7)
     returning id, account_id, created_time
   )
   insert into outbound_messages (id, account_id, request_id, place, recipient, is_waiting, created_time, updated_time)
   select recipient.id, request.account_id, request.id, recipient.place, recipient.phone, $8, request.created_time,
          request.created_time
     from request
    cross join unnest($9::uuid[], $10::text[]) with ordinality as recipient (id, phone, place)`,
);

const LISTED = `
  select message.id as message_id, message.request_id, request.provider, request.sender, message.recipient,
         request.template, message.status, message.failure_code, message.failure_reason, message.created_time
    from outbound_messages message
    join outbound_requests request on request.id = message.request_id`;
const READ = statement("read_outbound_messages", `${LISTED} where message.id = any($1::uuid[])`);
const listText = (condition: string) => `${LISTED}
   where message.account_id = $1 and ${condition}
   order by message.created_time desc, message.request_id desc, message.place
   limit $3 offset $4`;

const LIST_ALL = statement("list_outbound_messages", listText("$2::uuid is null"));
/** Only requests up to `until`; empty if the account has no such request. */
const LIST_UNTIL = statement(
  "list_outbound_messages_until",
  listText(
    "(message.created_time, message.request_id) <= (select created_time, id from outbound_requests where id = $2::uuid and account_id = $1)",
  ),
);
const LIST_OF_REQUEST = statement("list_outbound_messages_of_request", listText("message.request_id = $2::uuid"));

/** Inserts a request with one message per recipient. */
export const addRequest = (db: Db, request: RequestRow, isWaiting: boolean, recipients: readonly Recipient[]) =>
  db.rows(ADD, [
    request.id,
    request.account_id,
    request.provider,
    request.sender,
    request.template,
    request.rendered,
    request.created_time,
    isWaiting,
    recipients.map(({ message_id }) => message_id),
    recipients.map(({ phone_number }) => phone_number),
  ]);

/** -> in order: undefined for an unknown id */
export const readMessages = async (db: Db, ids: readonly string[]): Promise<(OutboundRequestRow | undefined)[]> => {
  const rows = await db.rows<OutboundRequestRow>(READ, [ids]);
  const byId = new Map(rows.map((row) => [row.message_id, row]));
  return ids.map((id) => byId.get(id));
};

/** A page of one request, or of all requests up to `until`. */
interface OutboundPageQuery {
  readonly requestId: string | undefined;
  readonly until: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Newest requests first, messages in the order of the recipients. */
export const listMessages = (
  db: Db,
  accountId: number,
  { requestId, until, limit, offset }: OutboundPageQuery,
): Promise<OutboundRequestRow[]> => {
  const list = requestId !== undefined ? LIST_OF_REQUEST : until !== undefined ? LIST_UNTIL : LIST_ALL;
  return db.rows<OutboundRequestRow>(list, [accountId, requestId ?? until ?? null, limit, offset]);
};

// A request with other recipients keeps its parameters, which do not concern one person only.
const BLANK = statement(
  "blank_outbound_messages",
  `with blanked as (
     update outbound_messages
        set recipient = null, is_waiting = false, failure_reason = null
      where account_id = $1 and recipient = any($2::text[])
     returning request_id
   )
   update outbound_requests request
      set rendered = '{"body":"","buttons":[]}',
          template = (
            select json_object_agg(key, value)::text
              from json_each(request.template::json)
             where key in ('storage', 'template_name', 'namespace', 'language'))
    where request.id in (select request_id from blanked)
      and not exists (
        select from outbound_messages other
         where other.request_id = request.id and other.recipient is not null and other.recipient <> all($2::text[]))`,
);

/** Erases a deleted user's numbers from sent messages. @shape phones: as written in the user's record */
export const blankOutbound = async (
  db: Db,
  accountId: number,
  phones: readonly (string | undefined)[],
): Promise<void> => {
  const numbers = phones.map((phone) => phone && phoneOf(phone)).filter((phone) => phone !== undefined && phone !== "");
  if (numbers.length > 0) await db.rows(BLANK, [accountId, numbers]);
};
