import { CONVERSATION_NOT_FOUND, LIMITS, messages, refuse } from "@parley/contract";
import { gather } from "@parley/database";
import type { Add } from "../conversations/adding.ts";
import type { Drafts } from "../conversations/draft.ts";
import type { FindId } from "../conversations/finding.ts";
import { clampPage, pageHref } from "../http/pagination.ts";
import { rawJson, slice, type HandlersOf } from "../http/slice.ts";
import type { MessagePage, MessagePageQuery, MessageStore } from "./store.ts";

export interface MessageDeps {
  readonly store: MessageStore;
  readonly findId: FindId;
  readonly drafts: Drafts;
  readonly add: Add;
}

const PAGE = { usual: LIMITS.messages_per_page, most: LIMITS.messages_per_page_most };

/** Messages that a page may pass over and still be one of the quick ones. */
const NEAR = 1_000;

/** Every message is younger than the epoch; years before the first are no time to the database. */
const beginningOf = (from: string | undefined): Date | undefined => {
  const time = from === undefined ? 0 : Date.parse(from);
  return time > 0 ? new Date(time) : undefined;
};

export const messageSlice = ({ store, findId, drafts, add }: MessageDeps) => {
  const pageOf = gather<MessagePageQuery, MessagePage>({ run: store.pages });
  const handlers: HandlersOf<typeof messages> = {
    async listMessages({ params, query, caller, request }) {
      const conversationId =
        (await findId(caller.account.id, params.conversation_id)) ?? refuse(CONVERSATION_NOT_FOUND);
      const { page, itemsPerPage, offset } = clampPage(query, PAGE);
      const read = offset < NEAR ? pageOf : store.deepPage;
      const { found, texts, more, newest } = await read({
        accountId: caller.account.id,
        conversationId,
        from: beginningOf(query.from_time),
        until: query.until,
        offset,
        size: itemsPerPage,
      });
      if (!found) return refuse(CONVERSATION_NOT_FOUND);
      // The first page fixes what the others count from, so that messages that come meanwhile shift none of them.
      const until = query.until ?? (page === 1 ? newest : null);
      const asked = until === null ? request : { ...request, query: { ...request.query, until: String(until) } };
      const link = more
        ? `,"link":${JSON.stringify({ rel: "message", href: pageHref(asked, page + 1, itemsPerPage) })}`
        : "";
      return rawJson(`{"messages":[${texts}]${link}}`);
    },
    async createMessage({ params, body, caller, claim }) {
      const draft = await drafts.check(caller.account, body);
      return rawJson(await add(caller.account, params.conversation_id, draft, claim));
    },
  };
  return slice(messages, handlers, { seesKept: ["createMessage"] });
};
