import type { InboxItem } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import { INBOX_KEY } from "../conversation/conversation-query.ts";
import type { LiveItem } from "../live/live-messages.ts";
import { indexOfItem, type InboxList } from "./inbox-list.ts";
import { isConversation, requestReread, requestRereadWithCounts } from "./rereading.ts";

/** Ids of the conversations of a customer that were read. */
const conversationsOf = (queries: QueryClient, userId: string): readonly string[] => {
  const cache = queries.getQueryCache();
  const listed = cache
    .findAll({ queryKey: INBOX_KEY })
    .map(({ state }) => (state.data as InboxList | undefined)?.items);
  const opened = cache.findAll({ predicate: isConversation }).map(({ state }) => state.data as InboxItem | undefined);
  return [...listed.flatMap((items) => items ?? []), ...opened]
    .filter((item) => item?.customer.id === userId)
    .flatMap((item) => item?.conversation_id ?? []);
};

/** -> ids of the conversations that an item of the stream has changed */
const changedBy = (queries: QueryClient, item: LiveItem): readonly string[] => {
  if (item.event === "property_change") return [item.data.conversation_id];
  if (!("data" in item.data)) return [];
  const { conversation, message, user } = item.data.data;
  if (item.event === "user_update") return user ? conversationsOf(queries, user.id) : [];
  return [message ?? conversation ?? []].flat().map(({ conversation_id }) => conversation_id);
};

/** -> ids of the conversations that the agent has read, here or on another device */
const readIn = (item: LiveItem): readonly string[] =>
  item.event === "own_change" && item.data.kind === "read" ? [item.data.conversation_id ?? []].flat() : [];

/** Conversations that events have changed are read again. */
export const applyToInbox = (queries: QueryClient, items: readonly LiveItem[]): void => {
  const ids = items.flatMap((item) => changedBy(queries, item));
  if (ids.length > 0) requestReread(queries, ids);
  const read = items.flatMap(readIn);
  if (read.length > 0) requestRereadWithCounts(queries, read);
};

const withConversation = (list: InboxList, item: InboxItem): InboxList => {
  const index = indexOfItem(list, item.conversation_id);
  const listed = list.items[index];
  const next = listed && { ...item, position: listed.position };
  if (!next || JSON.stringify(next) === JSON.stringify(listed)) return list;
  return { ...list, items: list.items.with(index, next) };
};

/** Shows what the agent changes in an open conversation in its row at once, before the lists are read again. -> the function that ends it */
export const followOpenConversations = (queries: QueryClient): (() => void) =>
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || event.action.type !== "success" || !isConversation(event.query)) return;
    const item = event.query.state.data as InboxItem;
    for (const { queryKey, state } of queries.getQueryCache().findAll({ queryKey: INBOX_KEY, type: "active" })) {
      const list = state.data as InboxList | undefined;
      const next = list && withConversation(list, item);
      if (next !== list) queries.setQueryData(queryKey, next);
    }
  });
