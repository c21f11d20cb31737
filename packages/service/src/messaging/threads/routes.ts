import {
  CONVERSATION_NOT_FOUND,
  INVALID_VALUE,
  MESSAGE_NOT_FOUND,
  refuse,
  THREAD_PAGE_SIZE,
  threads,
} from "@parley/contract";
import type { FindConversationId } from "../conversations/find.ts";
import { defineRoutes, rawJson } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { ThreadQuery, ThreadStore } from "./store.ts";

interface ThreadDeps {
  readonly store: ThreadStore;
  readonly findId: FindConversationId;
}

const PLACES = ["before", "after", "around"] as const;
type Place = (typeof PLACES)[number];

/** No message has it. */
const UNKNOWN_ID = "00000000-0000-0000-0000-000000000000";

/** How many messages are read on each side of the anchor, by the place of the page. */
const SIZES: Readonly<Record<Place, (limit: number) => Pick<ThreadQuery, "older" | "newer">>> = {
  before: (limit) => ({ older: limit, newer: 0 }),
  after: (limit) => ({ older: 0, newer: limit }),
  around: (limit) => ({ older: Math.floor((limit - 1) / 2), newer: Math.floor((limit - 1) / 2) }),
};

/** @errors INVALID_VALUE for more than one place */
const placeOf = (query: { readonly [P in Place]?: string | undefined }): Place | undefined => {
  const [place, other] = PLACES.filter((name) => query[name] !== undefined);
  if (other !== undefined) refuse(INVALID_VALUE, `Give at most one of ${PLACES.join(", ")}.`);
  return place;
};

export const threadRoutes = ({ store, findId }: ThreadDeps) =>
  defineRoutes(threads, {
    async listThread({ params, query, caller }) {
      const { limit = THREAD_PAGE_SIZE.default } = query;
      const place = placeOf(query);
      const accountId = caller.account.id;
      const conversationId = (await findId(accountId, params.conversation_id)) ?? refuse(CONVERSATION_NOT_FOUND);
      const id = place && query[place];
      const isKnown = id === undefined || isUuid(id);
      // A malformed id is that of no message, but of an unknown conversation there is no message to be found.
      const anchor = isKnown ? id?.toLowerCase() : UNKNOWN_ID;
      const thread = await store.read({ accountId, conversationId, anchor, ...SIZES[place ?? "before"](limit) });
      if (thread === "conversation") return refuse(CONVERSATION_NOT_FOUND);
      if (thread === "message") return refuse(MESSAGE_NOT_FOUND);
      const texts = [thread.older.texts, place === "around" ? thread.anchor : "", thread.newer.texts];
      // The anchor itself lies beyond a page that begins or ends beside it.
      const has_older = place === "after" || thread.older.hasMore;
      const has_newer = place === "before" || thread.newer.hasMore;
      return rawJson(
        `{"messages":[${texts.filter(Boolean).join(",")}],"has_older":${has_older},"has_newer":${has_newer}}`,
      );
    },
  });
