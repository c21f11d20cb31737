import { CONVERSATION_NOT_FOUND, LIMITS, messages, refuse } from "@parley/contract";
import { gather } from "@parley/database";
import type { AddMessage } from "./add-message.ts";
import type { MessageComposer } from "./compose-message.ts";
import type { FindConversationId } from "./find.ts";
import { clampPage, pageHref } from "../../http/pagination.ts";
import { rawJson, defineRoutes, type RouteHandlers } from "../../http/route-handlers.ts";
import type { MessagePage, MessagePageQuery, MessageStore } from "./messages.sql.ts";

interface MessageDeps {
  readonly store: MessageStore;
  readonly findId: FindConversationId;
  readonly composer: MessageComposer;
  readonly add: AddMessage;
}

const PAGE_SIZES = { defaultSize: LIMITS.messages_per_page, maxSize: LIMITS.messages_per_page_max };

/** Maximum offset of pages that are read by the batched statement. */
const GATHERED_OFFSET_MAX = 1_000;

/** Dates before the epoch are omitted: every message is later, and the database rejects years before 1. */
const beginningOf = (from: string | undefined): Date | undefined => {
  const time = from === undefined ? 0 : Date.parse(from);
  return time > 0 ? new Date(time) : undefined;
};

export const messageRoutes = ({ store, findId, composer, add }: MessageDeps) => {
  const pageOf = gather<MessagePageQuery, MessagePage>({ name: "messages", run: store.pages });
  const handlers: RouteHandlers<typeof messages> = {
    async listMessages({ params, query, caller, request }) {
      const conversationId =
        (await findId(caller.account.id, params.conversation_id)) ?? refuse(CONVERSATION_NOT_FOUND);
      const { page, itemsPerPage, offset } = clampPage(query, PAGE_SIZES);
      const order = query.sort_order ?? "desc";
      const wanted = {
        accountId: caller.account.id,
        conversationId,
        from: beginningOf(query.from_time),
        until: query.until,
        offset,
        size: itemsPerPage,
      };
      const isGathered = order === "desc" && offset < GATHERED_OFFSET_MAX;
      const { found, texts, more, newest } = await (isGathered ? pageOf(wanted) : store.deepPage(wanted, order));
      if (!found) return refuse(CONVERSATION_NOT_FOUND);
      // The first page fixes the upper bound of the following pages, so that new messages do not shift them.
      const until = query.until ?? (page === 1 ? newest : null);
      const linkRequest = until === null ? request : { ...request, query: { ...request.query, until: String(until) } };
      const link = more
        ? `,"link":${JSON.stringify({ rel: "message", href: pageHref(linkRequest, page + 1, itemsPerPage) })}`
        : "";
      return rawJson(`{"messages":[${texts}]${link}}`);
    },
    async createMessage({ params, body, caller, claim }) {
      const draft = await composer.compose(caller.account, body, caller.agent);
      return rawJson(await add(caller.account, params.conversation_id, draft, claim));
    },
  };
  return defineRoutes(messages, handlers, { checksStoredReply: ["createMessage"] });
};
