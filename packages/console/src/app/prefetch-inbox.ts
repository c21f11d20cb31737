import type { QueryClient } from "@tanstack/react-query";
import { conversationQuery } from "../conversation/conversation-query.ts";
import { inboxListQuery } from "../inbox/list-query.ts";
import { checkInboxSearch } from "../inbox/inbox-search.ts";
import { filterOf, orderOf } from "../inbox/inbox-view.ts";
import { countsQuery, savedViewsQuery } from "../inbox/views-query.ts";
import { loadInboxPage, router } from "./router.tsx";

const CONVERSATION = /^\/conversations\/([^/]+)$/;

/** Requests what the inbox shows first, if the address names it, at the same time as the workspace and not after it. */
export const prefetchInbox = (queries: QueryClient): void => {
  const { pathname, search } = router.latestLocation;
  const [, conversationId] = CONVERSATION.exec(pathname) ?? [];
  if (conversationId === undefined && pathname !== "/inbox" && pathname !== "/") return;
  void loadInboxPage();
  const view = checkInboxSearch(search);
  void queries.prefetchQuery(inboxListQuery(filterOf(view), orderOf(view)));
  void queries.prefetchQuery(countsQuery);
  void queries.prefetchQuery(savedViewsQuery);
  if (conversationId !== undefined) void queries.prefetchQuery(conversationQuery(conversationId));
};
