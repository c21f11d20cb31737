import type { InboxFilter, InboxOrder } from "@parley/contract";
import { queryOptions, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { INBOX_KEY } from "../conversation/conversation-query.ts";
import { noteReading } from "../conversation/readings.ts";
import { VALUES } from "../contract-values.ts";
import { client } from "../session/session.ts";
import { inOrder } from "../state/in-order.ts";
import {
  boundaryBefore,
  type InboxList,
  type InboxListPage,
  listFrom,
  listOfPage,
  type PageBoundary,
  withConversations,
  withNextPage,
  withPages,
  withPreviousItems,
} from "./inbox-list.ts";
import { openConversation } from "./open-conversation.ts";
import { comparePositions, type Position } from "./positions.ts";

/** The view of a list. */
interface ListView {
  readonly filter: InboxFilter;
  readonly order: InboxOrder;
}

interface ReadOptions {
  readonly cursor?: string | undefined;
  readonly ids?: readonly string[];
  readonly signal?: AbortSignal;
}

const readPage = async (
  { filter, order }: ListView,
  { cursor, ids, signal }: ReadOptions = {},
): Promise<InboxListPage> =>
  noteReading(
    await client.inbox.listInbox({
      query: {
        ...filter,
        order,
        limit: VALUES.inboxPageSizeMax,
        ...(cursor !== undefined && { cursor }),
        ...(ids && { ids: ids.join(",") }),
      },
      ...(signal && { signal }),
    }),
  );

/**
 * The list of a view. The query reads its beginning; `loadNext` and `loadPrevious` move the loaded part, and conversations that events have
 * changed are read again, so that pages are not those of an infinite query, which would read them all again.
 */
export const inboxListQuery = (filter: InboxFilter, order: InboxOrder) =>
  queryOptions({
    queryKey: [...INBOX_KEY, filter, order] as const,
    queryFn: async ({ signal }): Promise<InboxList> => listOfPage(await readPage({ filter, order }, { signal })),
    // Conversations that were read again without a change keep their objects.
    structuralSharing: false,
  });

/** The view of the key of a list. */
const viewOfKey = (key: QueryKey): ListView => {
  const [, filter, order] = key as ReturnType<typeof inboxListQuery>["queryKey"];
  return { filter, order };
};

/**
 * Reads something for a list, and changes the list by it. Such readings of a list follow each other, so that no response replaces what a later
 * one has said.
 * -> whether the list is as the response says: not if the query has read it again meanwhile
 */
const changeList = async (
  queries: QueryClient,
  view: ListView,
  read: (list: InboxList) => Promise<(present: InboxList) => InboxList>,
): Promise<boolean> => {
  const { queryKey } = inboxListQuery(view.filter, view.order);
  const work = async (): Promise<boolean> => {
    const query = queries.getQueryCache().find<InboxList>({ queryKey });
    if (query?.state.fetchStatus === "fetching") await query.promise?.catch(() => undefined);
    const list = query?.state.data;
    if (!list) return true;
    const { promise } = query;
    const change = await read(list);
    if (query.promise !== promise) return false;
    const present = queries.getQueryData(queryKey);
    const changed = present && change(present);
    // Data that is set, even if it is the same, counts as read.
    if (changed !== present) queries.setQueryData(queryKey, changed);
    return true;
  };
  return (await inOrder(JSON.stringify(queryKey), work)).value;
};

/** Reads the page after the loaded part. */
export const loadNext = (queries: QueryClient, filter: InboxFilter, order: InboxOrder): Promise<boolean> =>
  changeList(queries, { filter, order }, async ({ end }) => {
    if (!end) return (present) => present;
    const page = await readPage({ filter, order }, { cursor: end.cursor });
    // The loaded part may have been replaced meanwhile.
    return (present) => (present.end?.cursor === end.cursor ? withNextPage(present, page) : present);
  });

/** Reads pages that follow each other from a place, at most up to the end of the list. @shape isLast: receives the position after a page */
const readPages = async (
  view: ListView,
  from: PageBoundary | undefined,
  isLast: (position: Position, count: number) => boolean,
): Promise<readonly InboxListPage[]> => {
  const pages: InboxListPage[] = [];
  for (let cursor = from?.cursor; ;) {
    const page = await readPage(view, { cursor });
    const count = pages.push(page);
    const last = page.conversations.at(-1);
    if (page.next === undefined || !last || isLast(last.position, count)) return pages;
    cursor = page.next;
  }
};

/** Reads the page before the loaded part. */
export const loadPrevious = (queries: QueryClient, filter: InboxFilter, order: InboxOrder): Promise<boolean> =>
  changeList(queries, { filter, order }, async (list) => {
    const { start } = list;
    if (!start) return (present) => present;
    const from = boundaryBefore(list, start);
    // Several pages if conversations have come there since.
    const pages = await readPages({ filter, order }, from, (position) => comparePositions(position, start) >= 0);
    const items = pages.flatMap(({ conversations }) => conversations);
    return (present) => (present.start === start ? withPreviousItems(present, items, from) : present);
  });

/** Moves the loaded part to about this row, which was loaded before. */
export const loadAround = (
  queries: QueryClient,
  filter: InboxFilter,
  order: InboxOrder,
  row: number,
): Promise<boolean> =>
  changeList(queries, { filter, order }, async ({ start, boundaries, rowsAbove }) => {
    if (!start) return (present) => present;
    const before = boundaries.filter(({ position }) => comparePositions(position, start) <= 0);
    const rowsOfPage = rowsAbove / (before.length + 1);
    const index = Math.floor(row / rowsOfPage) - 1;
    const from = before[index];
    const page = await readPage({ filter, order }, { cursor: from?.cursor });
    if (!from) return () => listOfPage(page);
    return (present) => listFrom(present, from, { page, rowsAbove: Math.round((index + 1) * rowsOfPage) });
  });

/** Moves the loaded part to the beginning of the list. */
export const loadBeginning = (queries: QueryClient, filter: InboxFilter, order: InboxOrder): Promise<boolean> =>
  changeList(queries, { filter, order }, async () => {
    const page = await readPage({ filter, order });
    return () => listOfPage(page);
  });

/** Reads the loaded part of a list again: as many pages as it has, wherever its end is now. */
const rereadLoaded = async (view: ListView, list: InboxList): Promise<(present: InboxList) => InboxList> => {
  const { start, items } = list;
  const from = start && boundaryBefore(list, start);
  const wanted = Math.round(items.length / VALUES.inboxPageSizeMax);
  const pages = await readPages(
    view,
    from,
    (position, count) => count >= wanted && (!start || comparePositions(position, start) > 0),
  );
  const total = pages[0]?.total ?? (await readPage(view)).total ?? 0;
  return (present) => withPages(present, pages, total);
};

/** Conversations of one request; more of them are read with the loaded part. */
const IDS_MAX = VALUES.inboxPageSizeMax;

/**
 * Reads conversations of a list again: where they are now, and how many the view contains. -> as `changeList`
 * @shape ids: undefined for all that are loaded
 */
export const rereadInList = (
  queries: QueryClient,
  key: QueryKey,
  ids: ReadonlySet<string> | undefined,
): Promise<boolean> => {
  const view = viewOfKey(key);
  return changeList(queries, view, async (list) => {
    if (!ids || ids.size > IDS_MAX) return rereadLoaded(view, list);
    const { conversations: found, total = list.total } = await readPage(view, { ids: [...ids] });
    // An open conversation remains in a list of unread conversations after it was read.
    const keptId = view.filter.unread === true ? openConversation.get() : undefined;
    return (present) => withConversations(present, { ids, found, total, keptId });
  });
};
