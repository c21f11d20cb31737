import type { InboxItem, ListedCustomer } from "@parley/contract";
import type { Query, QueryClient } from "@tanstack/react-query";
import { conversationQuery, patchConversation } from "../conversation/conversation-query.ts";
import type { LiveItem } from "../live/live-messages.ts";
import {
  areChangedTogether,
  cachedLists,
  changeInLists,
  changeTogether,
  forgetItems,
  type CachedLists,
} from "./cached-lists.ts";
import { conversationEventOf, customerOfUser, formerItem, withEvent, type ConversationEvent } from "./item-changes.ts";
import { requestReread } from "./rereading.ts";
import { noteTouched } from "./touched-conversations.ts";

/** -> the conversation after the event if it was known before */
const applyConversationEvent = (lists: CachedLists, event: ConversationEvent): InboxItem | undefined => {
  const id = event.conversation.conversation_id;
  noteTouched(id);
  const known = lists.find(id);
  const { item, isCertain } = withEvent(known, event);
  lists.change({ before: known ?? formerItem(item, event), after: item, isCertain });
  return known && item;
};

const [CONVERSATION, ...ID] = conversationQuery("").queryKey;
const isConversation = ({ queryKey }: Pick<Query, "queryKey">): boolean =>
  queryKey[0] === CONVERSATION && queryKey.length === ID.length + 1;

const patchCustomer = (queries: QueryClient, lists: CachedLists, customer: ListedCustomer): void => {
  const change = (item: InboxItem): InboxItem => (item.customer.id === customer.id ? { ...item, customer } : item);
  lists.replace(change);
  queries.setQueriesData<InboxItem>({ predicate: isConversation }, (item) => item && change(item));
};

/** Brings events into the lists, the numbers and the conversations that were read. */
export const applyToInbox = (queries: QueryClient, items: readonly LiveItem[]): void => {
  const lists = cachedLists(queries);
  let isCountAffected = false;
  if (items.some(({ event }) => event === "reset")) forgetItems();
  const apply = (item: LiveItem): void => {
    if (item.event === "own_change") {
      const { kind, conversation_id } = item.data;
      if (kind === "read") requestReread(queries, conversation_id);
    } else if (item.event === "property_change") {
      requestReread(queries, item.data.conversation_id);
    } else if (item.event === "user_update") {
      const { user } = item.data.data;
      if (user) patchCustomer(queries, lists, customerOfUser(user));
    } else if ("data" in item.data) {
      const event = conversationEventOf(item.data);
      const changed = event && applyConversationEvent(lists, event);
      if (changed) patchConversation(queries, changed.conversation_id, () => changed);
      isCountAffected ||= event !== undefined;
    }
  };
  changeTogether(() => {
    for (const item of items) apply(item);
    lists.commit();
  });
  if (isCountAffected) requestReread(queries);
};

/**
 * Brings what the agent changes in an open conversation into the lists at once, before the event of the change arrives. -> the function that
 * ends it
 */
export const followOpenConversations = (queries: QueryClient): (() => void) =>
  queries.getQueryCache().subscribe((event) => {
    if (areChangedTogether() || event.type !== "updated" || event.action.type !== "success") return;
    if (!isConversation(event.query)) return;
    changeInLists(queries, { before: undefined, after: event.query.state.data as InboxItem, isCertain: true });
  });
