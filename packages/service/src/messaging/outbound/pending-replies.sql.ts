import { statement, type Db } from "@parley/database";
import type { MessagePart } from "@parley/contract";
import type { TemplateMessage, PendingReplies } from "../conversations/unsaved-message.ts";
import type { RenderedTemplate } from "./rendering.ts";
import { createTtlCache } from "../../base/concurrency/ttl-cache.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { isUuid } from "../../http/uuid.ts";
import { phoneOf } from "./phone.ts";

/** A template message to be copied into its recipient's conversation. */
interface PendingReplyRow {
  readonly id: string;
  readonly request_id: string;
  /** JSON text. */
  readonly rendered: string;
}

/** Maximum messages read per user; older messages are ignored. */
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
type PendingReplyStore = ReturnType<typeof pendingReplyStore>;

const headerPart = (header: NonNullable<RenderedTemplate["header"]>): MessagePart => {
  if (header.type === "text") return { text: { content: header.text } };
  const { type, media_url: url } = header;
  return type === "document" ? { file: { url } } : type === "video" ? { video: { url } } : { image: { url } };
};

/**
 * Converts a template message to parts of a conversation message.
 * @spec Resources and their fields > Outbound message object
 * @assumed It is shown as a bot's message; meta_data names the outbound message and its request.
 */
const toTemplateMessage = ({ id, request_id, rendered }: PendingReplyRow): TemplateMessage => {
  const { header, body, buttons } = JSON.parse(rendered) as RenderedTemplate;
  return {
    id,
    message_parts: [
      ...(header ? [headerPart(header)] : []),
      { text: { content: body } },
      ...buttons.map(({ label, url }) => ({ url_button: { label, url, target: "_blank" } })),
    ],
    meta_data: { outbound_message_id: id, outbound_request_id: request_id },
  };
};

/** @assumed A user who writes after 30 days does not reply to a template message. @units milliseconds */
const REPLY_WINDOW_MS = 30 * 24 * 60 * 60 * 1_000;
/** @assumed Only the newest template messages are copied before a user's message; older messages are left out. */
const PRELUDES_MAX = 5;

interface PendingReplyRegistry extends PendingReplies {
  /** Invalidates the cached absence of pending replies for the account. */
  invalidate(accountId: number): void;
}

/** Accounts without such messages cost one query per second, and nothing per message. */
export const createPendingReplies = ({
  store,
  ports,
}: {
  readonly store: PendingReplyStore;
  readonly ports: Pick<Ports, "now" | "monotonicMs">;
}): PendingReplyRegistry => {
  const since = () => new Date(ports.now().getTime() - REPLY_WINDOW_MS);
  const isAny = createTtlCache((accountId) => store.isAny(accountId, since()), ports);
  const markWritten = async (ids: readonly string[]) => {
    // A message whose mark failed is excluded by the query as already copied.
    await store.done(ids).catch(() => undefined);
  };

  return {
    invalidate: (accountId) => isAny.invalidate(accountId),
    async listPending(accountId, userId) {
      // A malformed id has no pending replies. The message itself is validated elsewhere.
      if (!isUuid(userId) || !(await isAny.get(accountId))) return [];
      const phone = phoneOf((await store.phone(accountId, userId)) ?? "");
      if (phone === undefined) return [];
      const found = await store.find(accountId, phone, since());
      if (found.length > PRELUDES_MAX) await markWritten(found.slice(PRELUDES_MAX).map(({ id }) => id));
      return found.slice(0, PRELUDES_MAX).reverse().map(toTemplateMessage);
    },
    markWritten,
  };
};
