import { statement, type Db } from "@parley/database";

/** A template message to be copied into its recipient's conversation. */
export interface PendingReplyRow {
  readonly id: string;
  readonly request_id: string;
  /** JSON text. */
  readonly rendered: string;
}

/** Maximum messages read per user; older ones are ignored. */
const PENDING_REPLIES_MAX = 1_000;

const HAS_WAITING = statement(
  "is_any_outbound_message_waiting",
  `select exists (
     select from outbound_messages where account_id = $1 and is_waiting and created_time > $2
   ) as is_any`,
);
const PHONE = statement(
  "find_user_phone",
  `select phone from users where account_id = $1 and id = $2 and deleted_time is null`,
);
// Excludes messages already copied: the copy has the same id, even if the process ended before it was marked.
const FIND_WAITING = statement(
  "find_waiting_outbound_messages",
  `select message.id, message.request_id, request.rendered
     from outbound_messages message
     join outbound_requests request on request.id = message.request_id
    where message.account_id = $1 and message.recipient = $2 and message.is_waiting
      and message.status in ('Sent', 'Delivered') and message.created_time > $3
      and not exists (select from messages where messages.id = message.id)
    order by message.created_time desc, message.id desc
    limit ${PENDING_REPLIES_MAX}`,
);
const DONE = statement(
  "end_waiting_of_outbound_messages",
  `update outbound_messages set is_waiting = false where id = any($1::uuid[]) and is_waiting`,
);

/** Statements on template messages that await a reply. */
export const pendingReplyStore = (db: Db) => ({
  isAny: async (accountId: number, since: Date): Promise<boolean> =>
    (await db.one<{ is_any: boolean }>(HAS_WAITING, [accountId, since]))?.is_any ?? false,
  phone: async (accountId: number, userId: string): Promise<string | undefined> =>
    (await db.one<{ phone: string | null }>(PHONE, [accountId, userId]))?.phone ?? undefined,
  /** Newest first. */
  find: (accountId: number, phone: string, since: Date): Promise<PendingReplyRow[]> =>
    db.rows<PendingReplyRow>(FIND_WAITING, [accountId, phone, since]),
  done: (ids: readonly string[]) => db.rows(DONE, [ids]),
});
export type PendingReplyStore = ReturnType<typeof pendingReplyStore>;
