import type { InboxItem } from "@parley/contract";
import type { Query, QueryClient } from "@tanstack/react-query";
import { INBOX_KEY, knownConversation } from "../conversation/conversation-query.ts";
import { workspaceQuery } from "../workspace/workspace.ts";
import { indexOfItem, ITEMS_MAX, type InboxList } from "./inbox-list.ts";
import { type ItemChange, type ListView, withChange, withoutItem } from "./list-changes.ts";
import { viewOfKey } from "./list-query.ts";
import { openConversation } from "./open-conversation.ts";

interface CachedList {
  readonly query: Query;
  readonly view: ListView;
  list: InboxList;
}

/** Lists of the inbox that were read, while several changes are brought into them. `commit` shows the changes. */
export interface CachedLists {
  find(id: string): InboxItem | undefined;
  change(change: ItemChange): void;
  remove(id: string): void;
  /** Changes conversations where they are, such as the customer's name. */
  replace(change: (item: InboxItem) => InboxItem): void;
  commit(): void;
}

const listsOf = (queries: QueryClient): CachedList[] => {
  const viewer = queries.getQueryData(workspaceQuery.queryKey)?.agent;
  if (!viewer) return [];
  return queries
    .getQueryCache()
    .findAll({ queryKey: INBOX_KEY })
    .flatMap((query) => {
      const list = query.state.data as InboxList | undefined;
      const view = { ...viewOfKey(query.queryKey), viewer, openId: openConversation.get() };
      return list ? [{ query, view, list }] : [];
    });
};

/** Conversations that are remembered after they left the lists, so that they are known when they come back. */
const REMEMBERED_MAX = 200;
const remembered = new Map<string, InboxItem>();

const remember = (item: InboxItem): void => {
  remembered.delete(item.conversation_id);
  remembered.set(item.conversation_id, item);
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED_MAX && oldest !== undefined) remembered.delete(oldest);
};

/** Events were lost: nothing that was not read again is known. */
export const forgetItems = (): void => remembered.clear();

export const cachedLists = (queries: QueryClient): CachedLists => {
  const lists = listsOf(queries);
  return {
    find(id) {
      // A conversation that was opened has the form of those in lists.
      const opened = knownConversation(queries, id);
      if (opened) return opened;
      for (const { list } of lists) {
        const item = list.items[indexOfItem(list, id)];
        if (item) return item;
      }
      return remembered.get(id);
    },
    change(change) {
      for (const each of lists) each.list = withChange(each.list, change, each.view);
      if (change.isCertain) remember(change.after);
      else remembered.delete(change.after.conversation_id);
    },
    remove(id) {
      remembered.delete(id);
      for (const each of lists) each.list = withoutItem(each.list, id);
    },
    replace(change) {
      for (const each of lists) {
        const items = each.list.items.map(change);
        if (items.some((item, index) => item !== each.list.items[index])) each.list = { ...each.list, items };
      }
    },
    commit() {
      for (const { query, list } of lists) {
        if (list === query.state.data) continue;
        // A list that is not shown can be read again; it must not grow, or seem to be up to date.
        const isObsolete = !query.isActive() && (query.state.isInvalidated || list.items.length > ITEMS_MAX);
        if (isObsolete) queries.removeQueries({ queryKey: query.queryKey, exact: true });
        else queries.setQueryData(query.queryKey, list);
      }
    },
  };
};

/** Brings one change into all lists. */
export const changeInLists = (queries: QueryClient, change: ItemChange): void => {
  const lists = cachedLists(queries);
  lists.change(change);
  lists.commit();
};

let isApplying = false;

/** Whether lists and open conversations are being changed together, so that the lists must not follow the conversations, or the reverse. */
export const areChangedTogether = (): boolean => isApplying;

export const changeTogether = (change: () => void): void => {
  isApplying = true;
  try {
    change();
  } finally {
    isApplying = false;
  }
};

/** A conversation that is open no longer leaves the lists that it was kept in while it was. */
export const leaveConversation = (queries: QueryClient, id: string): void => {
  const lists = cachedLists(queries);
  const item = lists.find(id);
  if (!item) return;
  // A new object: the same one would be taken for unchanged.
  lists.change({ before: item, after: { ...item }, isCertain: true });
  lists.commit();
};
