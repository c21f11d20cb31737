import type { MessagePart } from "@parley/contract";
import type { TemplateMessage, PendingReplies } from "../conversations/unsaved-message.ts";
import type { PendingReplyRow, PendingReplyStore } from "./pending-replies.sql.ts";
import type { RenderedTemplate } from "./rendering.ts";
import { createTtlCache } from "../concurrency/ttl-cache.ts";
import { isUuid } from "../http/uuid.ts";
import { phoneOf } from "./phone.ts";

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
const replyWindowMs = 30 * 24 * 60 * 60 * 1_000;
/** @assumed Only the newest template messages are copied before a user's message; older ones are left out. */
const PRELUDES_MAX = 5;

interface PendingReplyRegistry extends PendingReplies {
  /** Invalidates the cached absence of pending replies for the account. */
  invalidate(accountId: number): void;
}

/** Accounts without such messages cost one query per second, and nothing per message. */
export const createPendingReplies = ({
  store,
  now,
}: {
  readonly store: PendingReplyStore;
  readonly now: () => Date;
}): PendingReplyRegistry => {
  const since = () => new Date(now().getTime() - replyWindowMs);
  const isAny = createTtlCache((accountId) => store.isAny(accountId, since()));
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
