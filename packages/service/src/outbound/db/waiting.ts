import { statement, type Db } from "@parley/database";

/** A template message that is to be put into its recipient's conversation. */
export interface WaitingRow {
  readonly id: string;
  readonly request_id: string;
  /** JSON text. */
  readonly rendered: string;
}

/** More than are put: those beyond are passed over. */
const MOST = 1_000;

const IS_ANY = statement(
  "is_any_outbound_message_waiting",
  `select exists (
     select from outbound_messages where account_id = $1 and is_waiting and created_time > $2
   ) as is_any`,
);
const PHONE = statement(
  "find_user_phone",
  `select phone from users where account_id = $1 and id = $2 and deleted_time is null`,
);
// One that stands in its conversation has its id there: a process that ended before it said so does not put it there twice.
const WAITING = statement(
  "find_waiting_outbound_messages",
  `select message.id, message.request_id, request.rendered
     from outbound_messages message
     join outbound_requests request on request.id = message.request_id
    where message.account_id = $1 and message.recipient = $2 and message.is_waiting
      and message.status in ('Sent', 'Delivered') and message.created_time > $3
      and not exists (select from messages where messages.id = message.id)
    order by message.created_time desc, message.id desc
    limit ${MOST}`,
);
const DONE = statement(
  "end_waiting_of_outbound_messages",
  `update outbound_messages set is_waiting = false where id = any($1::uuid[]) and is_waiting`,
);

/** What waits for its recipient to write. */
export const waitingStore = (db: Db) => ({
  isAny: async (accountId: number, since: Date): Promise<boolean> =>
    (await db.one<{ is_any: boolean }>(IS_ANY, [accountId, since]))?.is_any ?? false,
  phone: async (accountId: number, userId: string): Promise<string | undefined> =>
    (await db.one<{ phone: string | null }>(PHONE, [accountId, userId]))?.phone ?? undefined,
  /** The newest first. */
  find: (accountId: number, phone: string, since: Date): Promise<WaitingRow[]> =>
    db.rows<WaitingRow>(WAITING, [accountId, phone, since]),
  done: (ids: readonly string[]) => db.rows(DONE, [ids]),
});
export type WaitingStore = ReturnType<typeof waitingStore>;
