import type { InboxItem } from "@parley/contract";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { noteReading } from "./readings.ts";

/** Reads a conversation as the inbox lists it. */
export const readConversation = async (conversation_id: string, signal?: AbortSignal): Promise<InboxItem> =>
  noteReading(await client.inbox.getInboxItem({ params: { conversation_id }, ...(signal && { signal }) }));

/** A conversation as the inbox lists it, also while no list contains it. */
export const conversationQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ["conversation", conversationId],
    queryFn: ({ signal }): Promise<InboxItem> => readConversation(conversationId, signal),
  });

/** Key of the lists of the inbox: `["inbox", filter, order]`. Conversations that events have changed are read again in them. */
export const INBOX_KEY = ["inbox"] as const;
/** Key of the numbers of conversations by view. Data that is stored below this key is read again when a conversation changes. */
export const COUNTS_KEY = ["counts"] as const;

/** A conversation that was read; undefined also for one that will be read again before it is shown. */
const knownConversation = (queries: QueryClient, id: string): InboxItem | undefined => {
  const query = queries.getQueryCache().find<InboxItem>({ queryKey: conversationQuery(id).queryKey });
  return query?.isActive() === false && query.state.isInvalidated ? undefined : query?.state.data;
};

/**
 * Changes a conversation where it was already read; its rows follow by `followOpenConversations`. One that will be read again stays as it is: changed data counts
 * as read.
 */
export const patchConversation = (queries: QueryClient, id: string, change: (item: InboxItem) => InboxItem): void => {
  const known = knownConversation(queries, id);
  if (known) queries.setQueryData<InboxItem>(conversationQuery(id).queryKey, change(known));
};
