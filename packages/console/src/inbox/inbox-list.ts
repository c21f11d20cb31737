import type { InboxItem, InboxOrder } from "@parley/contract";
import { comparePositions, countBefore, listPositionOf, type Position } from "./positions.ts";

/** A place in a list from which the service continues it. */
export interface PageBoundary {
  readonly cursor: string;
  /** The page after the cursor begins after this position. */
  readonly position: Position;
}

/**
 * The loaded part of a list. It contains every conversation of the view whose position is after `start` and not after `end`, so that an event
 * is enough to tell whether a conversation belongs in it.
 */
export interface InboxList {
  readonly items: readonly InboxItem[];
  /** Conversations of the whole view. */
  readonly total: number;
  /** undefined: the loaded part begins at the beginning of the list. */
  readonly start: Position | undefined;
  /** undefined: the loaded part ends at the end of the list. */
  readonly end: PageBoundary | undefined;
  /** Conversations before the loaded part, as far as they are known. */
  readonly rowsAbove: number;
  /** All known places to continue from, in their order. */
  readonly boundaries: readonly PageBoundary[];
  /** Ids of conversations that came before the loaded part since it was read, the oldest first. */
  readonly newAbove: readonly string[];
  /** Ids of conversations of which an event did not say everything: they are read again when they are shown. */
  readonly doubts: readonly string[];
  /** Whether the beginning of the list must be read again: for the total, or since there are too many doubts. */
  readonly isStale: boolean;
}

/** A page as the service sends it. */
export interface InboxListPage {
  readonly conversations: readonly InboxItem[];
  readonly next?: string | undefined;
  readonly total?: number | undefined;
}

/** Ids that are kept in each of the lists of ids. */
export const IDS_MAX = 100;

const endOf = (page: InboxListPage, order: InboxOrder, fallback?: Position): PageBoundary | undefined => {
  const last = page.conversations.at(-1);
  const position = last ? listPositionOf(last, order) : fallback;
  return page.next === undefined || position === undefined ? undefined : { cursor: page.next, position };
};

/** Places that are remembered; of more of them, every second one is. */
const BOUNDARIES_MAX = 1_000;

const withBoundary = (
  boundaries: readonly PageBoundary[],
  added: PageBoundary | undefined,
): readonly PageBoundary[] => {
  if (!added) return boundaries;
  const others = boundaries.filter(({ position }) => comparePositions(position, added.position) !== 0);
  const kept = others.length < BOUNDARIES_MAX ? others : others.filter((_, index) => index % 2 === 0);
  return [...kept, added].sort((one, other) => comparePositions(one.position, other.position));
};

export const listOfPage = (page: InboxListPage, order: InboxOrder): InboxList => {
  const end = endOf(page, order);
  return {
    items: page.conversations,
    total: page.total ?? page.conversations.length,
    start: undefined,
    end,
    rowsAbove: 0,
    boundaries: end ? [end] : [],
    newAbove: [],
    doubts: [],
    isStale: false,
  };
};

export const indexOfItem = ({ items }: Pick<InboxList, "items">, id: string): number =>
  items.findIndex(({ conversation_id }) => conversation_id === id);

/**
 * Which object of a conversation is kept after it was read again: the known one if an event has changed it meanwhile, or if nothing has
 * changed, so that its row is not drawn again.
 */
const newerOf = (known: InboxItem | undefined, read: InboxItem): InboxItem => {
  if (!known) return read;
  const isOlder = Date.parse(read.activity_time) < Date.parse(known.activity_time);
  return isOlder || JSON.stringify(known) === JSON.stringify(read) ? known : read;
};

/** Merges read conversations into known conversations. */
const merge = (known: readonly InboxItem[], read: readonly InboxItem[], order: InboxOrder): readonly InboxItem[] => {
  const byId = new Map(known.map((item) => [item.conversation_id, item]));
  for (const item of read) byId.set(item.conversation_id, newerOf(byId.get(item.conversation_id), item));
  return [...byId.values()].sort((one, other) =>
    comparePositions(listPositionOf(one, order), listPositionOf(other, order)),
  );
};

/** Adds the page after the loaded part. */
export const withNextPage = (list: InboxList, page: InboxListPage, order: InboxOrder): InboxList => {
  const end = endOf(page, order, list.end?.position);
  return {
    ...list,
    items: merge(list.items, page.conversations, order),
    end,
    boundaries: withBoundary(list.boundaries, end),
  };
};

/** The place from which the page before the loaded part is read; undefined: the beginning of the list. */
export const boundaryBefore = ({ boundaries }: InboxList, position: Position): PageBoundary | undefined =>
  boundaries.findLast((each) => comparePositions(each.position, position) < 0);

/** Adds conversations that were read between a place and the loaded part. @shape from: undefined for the beginning of the list */
export const withPreviousItems = (
  list: InboxList,
  read: readonly InboxItem[],
  from: PageBoundary | undefined,
  order: InboxOrder,
): InboxList => {
  const { start, rowsAbove } = list;
  if (!start) return list;
  const items = merge(list.items, read.slice(0, countBefore(read, order, start, true)), order);
  const added = items.length - list.items.length;
  return {
    ...list,
    items,
    start: from?.position,
    rowsAbove: from ? Math.max(0, rowsAbove - added) : 0,
    newAbove: from ? list.newAbove : [],
  };
};

/** A list whose loaded part is one page. @shape rowsAbove: an estimate */
export const listFrom = (
  list: InboxList,
  from: PageBoundary,
  { page, order, rowsAbove }: { readonly page: InboxListPage; readonly order: InboxOrder; readonly rowsAbove: number },
): InboxList => {
  const end = endOf(page, order, from.position);
  const boundaries = withBoundary(list.boundaries, end);
  return { ...list, items: page.conversations, start: from.position, end, rowsAbove, boundaries };
};

/** Replaces the beginning of the list with conversations that were read anew. A loaded part elsewhere remains. */
export const withFirstPage = (list: InboxList, page: InboxListPage, order: InboxOrder): InboxList => {
  const fresh = listOfPage(page, order);
  const boundaries = withBoundary(fresh.end ? list.boundaries : [], fresh.end);
  const readIds = new Set(page.conversations.map(({ conversation_id }) => conversation_id));
  const checked = { ...list, total: fresh.total, isStale: false, boundaries };
  if (list.start) return checked;
  const isWhole = fresh.end === undefined || (list.end && comparePositions(fresh.end.position, list.end.position) > 0);
  const rest = isWhole || !fresh.end ? [] : list.items.slice(countBefore(list.items, order, fresh.end.position, true));
  const known = new Map(list.items.map((item) => [item.conversation_id, item]));
  const read = page.conversations.map((item) => newerOf(known.get(item.conversation_id), item));
  return {
    ...checked,
    items: merge(rest, read, order),
    doubts: isWhole ? [] : list.doubts.filter((id) => !readIds.has(id)),
    end: isWhole ? fresh.end : list.end,
  };
};

/** Conversations that are kept before and after those that are shown. */
const KEPT = { before: 300, after: 50 } as const;
/** Conversations that a list may have before some are taken out. */
export const ITEMS_MAX = 1_500;

/** Removes conversations that are far from the shown rows. @shape first, last: indexes of shown items */
export const trimmed = (list: InboxList, order: InboxOrder, first: number, last: number): InboxList => {
  if (list.items.length <= ITEMS_MAX) return list;
  const { items, boundaries } = list;
  const cut = Math.max(0, first - KEPT.before);
  const lastCut = items[cut - 1];
  const lastKept = items[Math.min(items.length - 1, last + KEPT.after)];
  const limit = lastKept && listPositionOf(lastKept, order);
  // The service continues a list at known places only.
  const found = limit && boundaries.find(({ position }) => comparePositions(position, limit) >= 0);
  const end = found ?? list.end;
  const next = items.slice(cut, end ? countBefore(items, order, end.position, true) : items.length);
  // Reading the beginning of the list again makes such a place known.
  if (next.length === items.length) return list.isStale ? list : { ...list, isStale: true };
  return {
    ...list,
    items: next,
    start: lastCut ? listPositionOf(lastCut, order) : list.start,
    rowsAbove: list.rowsAbove + cut,
    end,
  };
};
