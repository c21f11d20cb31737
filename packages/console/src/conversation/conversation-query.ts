import type { InboxItem } from "@parley/contract";
import { queryOptions, type QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";

/** A conversation as the inbox lists it, also while no list contains it. */
export const conversationQuery = (conversationId: string) =>
  queryOptions({
    queryKey: ["conversation", conversationId],
    queryFn: ({ signal }): Promise<InboxItem> =>
      client.inbox.getInboxItem({ params: { conversation_id: conversationId }, signal }),
  });

/** Key of the lists of the inbox: `["inbox", filter, order]`. */
export const INBOX_KEY = ["inbox"] as const;
/** Key of the numbers of conversations by view. */
export const COUNTS_KEY = ["counts"] as const;

/** Changes a conversation where it was already read; lists follow by `applyToInbox`. */
export const patchConversation = (queries: QueryClient, id: string, change: (item: InboxItem) => InboxItem): void => {
  queries.setQueryData<InboxItem>(conversationQuery(id).queryKey, (item) => item && change(item));
};
