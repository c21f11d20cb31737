import type { InboxFilter, InboxItem, InboxOrder } from "@parley/contract";
import { queryOptions, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { INBOX_KEY } from "../conversation/conversation-query.ts";
import { noteReading } from "../conversation/readings.ts";
import { VALUES } from "../contract-values.ts";
import { client } from "../session/session.ts";
import {
  boundaryBefore,
  type PageBoundary,
  indexOfItem,
  type InboxList,
  type InboxListPage,
  listFrom,
  listOfPage,
  withFirstPage,
  withNextPage,
  withPreviousItems,
} from "./inbox-list.ts";
import { withDoubt } from "./list-changes.ts";
import { comparePositions, listPositionOf } from "./positions.ts";
import { watchTouched } from "./touched-conversations.ts";

interface ReadPage extends InboxListPage {
  /** Conversations that events have changed while the page was read. */
  readonly touched: ReadonlySet<string>;
}

const readPage = async (
  filter: InboxFilter,
  order: InboxOrder,
  { cursor, signal }: { readonly cursor?: string | undefined; readonly signal?: AbortSignal } = {},
): Promise<ReadPage> => {
  const endWatch = watchTouched();
  try {
    const page = await client.inbox.listInbox({
      query: { ...filter, order, limit: VALUES.inboxPageSizeMax, ...(cursor !== undefined && { cursor }) },
      ...(signal && { signal }),
    });
    return { ...noteReading(page), touched: endWatch() };
  } finally {
    endWatch();
  }
};

/** Notes which conversations of a list must be read again. */
const withTouched = (list: InboxList, touched: ReadonlySet<string>): InboxList =>
  [...touched].filter((id) => indexOfItem(list, id) >= 0).reduce(withDoubt, list);

/**
 * The list of a view. The query reads its beginning; `loadNext` and `loadPrevious` move the loaded part, and events change it. Pages are not
 * those of an infinite query, which would undo what events changed while a page was read.
 */
export const inboxListQuery = (filter: InboxFilter, order: InboxOrder) =>
  queryOptions({
    queryKey: [...INBOX_KEY, filter, order] as const,
    queryFn: async ({ signal }): Promise<InboxList> => {
      const page = await readPage(filter, order, { signal });
      return { ...listOfPage(page, order), isStale: page.touched.size > 0 };
    },
    // Events keep the objects of unchanged conversations: comparing them all with each event would cost more.
    structuralSharing: false,
  });

/** The view of the key of a list. */
export const viewOfKey = (key: QueryKey): { readonly filter: InboxFilter; readonly order: InboxOrder } => {
  const [, filter, order] = key as ReturnType<typeof inboxListQuery>["queryKey"];
  return { filter, order };
};

const change = (queries: QueryClient, key: QueryKey, apply: (list: InboxList) => InboxList): void => {
  queries.setQueryData<InboxList>(key, (list) => list && apply(list));
};

/** Reads the page after the loaded part. */
export const loadNext = async (queries: QueryClient, filter: InboxFilter, order: InboxOrder): Promise<void> => {
  const { queryKey } = inboxListQuery(filter, order);
  const end = queries.getQueryData(queryKey)?.end;
  if (!end) return;
  const page = await readPage(filter, order, { cursor: end.cursor });
  // The loaded part may have been replaced meanwhile.
  change(queries, queryKey, (list) =>
    list.end?.cursor === end.cursor ? withTouched(withNextPage(list, page, order), page.touched) : list,
  );
};

/** Reads the conversations between a place and the loaded part: several pages if conversations have come there since. */
const readUpTo = async (
  filter: InboxFilter,
  order: InboxOrder,
  from: PageBoundary | undefined,
  isReached: (last: InboxItem) => boolean,
): Promise<readonly InboxItem[]> => {
  const items: InboxItem[] = [];
  for (let cursor = from?.cursor; ;) {
    const page = await readPage(filter, order, { cursor });
    items.push(...page.conversations);
    const last = page.conversations.at(-1);
    if (page.next === undefined || !last || isReached(last)) return items;
    cursor = page.next;
  }
};

/** Reads the page before the loaded part. */
export const loadPrevious = async (queries: QueryClient, filter: InboxFilter, order: InboxOrder): Promise<void> => {
  const { queryKey } = inboxListQuery(filter, order);
  const list = queries.getQueryData(queryKey);
  const start = list?.start;
  if (!start) return;
  const from = boundaryBefore(list, start);
  const items = await readUpTo(
    filter,
    order,
    from,
    (last) => comparePositions(listPositionOf(last, order), start) >= 0,
  );
  change(queries, queryKey, (present) =>
    present.start === start ? withPreviousItems(present, items, from, order) : present,
  );
};

/** Moves the loaded part to about this row, which was loaded before. */
export const loadAround = async (
  queries: QueryClient,
  filter: InboxFilter,
  order: InboxOrder,
  row: number,
): Promise<void> => {
  const { queryKey } = inboxListQuery(filter, order);
  const list = queries.getQueryData(queryKey);
  const start = list?.start;
  if (!start) return;
  const before = list.boundaries.filter(({ position }) => comparePositions(position, start) <= 0);
  const rowsOfPage = list.rowsAbove / (before.length + 1);
  const index = Math.floor(row / rowsOfPage) - 1;
  const from = before[index];
  if (!from) return loadBeginning(queries, filter, order);
  const page = await readPage(filter, order, { cursor: from.cursor });
  change(queries, queryKey, (present) =>
    listFrom(present, from, { page, order, rowsAbove: Math.round((index + 1) * rowsOfPage) }),
  );
};

/** Moves the loaded part to the beginning of the list. */
export const loadBeginning = async (queries: QueryClient, filter: InboxFilter, order: InboxOrder): Promise<void> => {
  const page = await readPage(filter, order);
  change(queries, inboxListQuery(filter, order).queryKey, () => listOfPage(page, order));
};

/** Reads the beginning of a list anew, and keeps the conversations that were loaded after it. */
export const rereadBeginning = async (queries: QueryClient, key: QueryKey): Promise<void> => {
  const { filter, order } = viewOfKey(key);
  const page = await readPage(filter, order);
  change(queries, key, (list) => withTouched(withFirstPage(list, page, order), page.touched));
};
