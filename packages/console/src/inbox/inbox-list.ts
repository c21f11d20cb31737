import type { ListedConversation } from "@parley/contract";
import { comparePositions, countBefore, type Position } from "./positions.ts";

/** A place in a list from which the service continues it. */
export interface PageBoundary {
  readonly cursor: string;
  /** The page after the cursor begins after this position. */
  readonly position: Position;
}

/** The loaded part of a list: every conversation of the view whose position is after `start` and not after `end`. */
export interface InboxList {
  readonly items: readonly ListedConversation[];
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
}

/** A page as the service sends it. */
export interface InboxListPage {
  readonly conversations: readonly ListedConversation[];
  readonly next?: string | undefined;
  readonly total?: number | undefined;
}

const endOf = ({ conversations, next }: InboxListPage, fallback?: Position): PageBoundary | undefined => {
  const position = conversations.at(-1)?.position ?? fallback;
  return next === undefined || position === undefined ? undefined : { cursor: next, position };
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

export const listOfPage = (page: InboxListPage): InboxList => {
  const end = endOf(page);
  return {
    items: page.conversations,
    total: page.total ?? page.conversations.length,
    start: undefined,
    end,
    rowsAbove: 0,
    boundaries: end ? [end] : [],
    newAbove: [],
  };
};

export const indexOfItem = ({ items }: Pick<InboxList, "items">, id: string): number =>
  items.findIndex(({ conversation_id }) => conversation_id === id);

/** Conversations that were read, those without a change as the known objects: their rows are not drawn again. */
const withKnownObjects = (
  known: readonly ListedConversation[],
  read: readonly ListedConversation[],
): ListedConversation[] => {
  const byId = new Map(known.map((item) => [item.conversation_id, item]));
  return read.map((item) => {
    const before = byId.get(item.conversation_id);
    return before && JSON.stringify(before) === JSON.stringify(item) ? before : item;
  });
};

/** Merges conversations that were read into a list. */
const merge = (
  known: readonly ListedConversation[],
  read: readonly ListedConversation[],
): readonly ListedConversation[] => {
  const byId = new Map(known.map((item) => [item.conversation_id, item]));
  for (const item of withKnownObjects(known, read)) byId.set(item.conversation_id, item);
  return [...byId.values()].sort((one, other) => comparePositions(one.position, other.position));
};

/** Adds the page after the loaded part. */
export const withNextPage = (list: InboxList, page: InboxListPage): InboxList => {
  const end = endOf(page, list.end?.position);
  return { ...list, items: merge(list.items, page.conversations), end, boundaries: withBoundary(list.boundaries, end) };
};

/** The place from which the page before the loaded part is read; undefined: the beginning of the list. */
export const boundaryBefore = ({ boundaries }: InboxList, position: Position): PageBoundary | undefined =>
  boundaries.findLast((each) => comparePositions(each.position, position) < 0);

/** Adds conversations that were read between a place and the loaded part. @shape from: undefined for the beginning of the list */
export const withPreviousItems = (
  list: InboxList,
  read: readonly ListedConversation[],
  from: PageBoundary | undefined,
): InboxList => {
  const { start, rowsAbove } = list;
  if (!start) return list;
  const items = merge(list.items, read.slice(0, countBefore(read, start, true)));
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
  { page, rowsAbove }: { readonly page: InboxListPage; readonly rowsAbove: number },
): InboxList => {
  const end = endOf(page, from.position);
  const boundaries = withBoundary(list.boundaries, end);
  return { ...list, items: page.conversations, start: from.position, end, rowsAbove, boundaries };
};

/**
 * Replaces the loaded part with pages that follow each other and were read anew. The loaded part still begins where it did, and ends with the
 * pages.
 * @shape pages: from a place before the loaded part
 */
export const withPages = (list: InboxList, pages: readonly InboxListPage[], total: number): InboxList => {
  const read = pages.flatMap(({ conversations }) => conversations);
  const last = pages.at(-1);
  return {
    ...list,
    total,
    items: withKnownObjects(list.items, list.start ? read.slice(countBefore(read, list.start, true)) : read),
    end: last && endOf(last, list.start),
    boundaries: pages.reduce((known, page) => withBoundary(known, endOf(page)), list.boundaries),
  };
};

/** Ids that are kept of conversations that came before the loaded part. */
const NEW_ABOVE_MAX = 100;

/** Puts a conversation where it belongs in the loaded part, or notes that it has moved before it. */
const placed = (list: InboxList, item: ListedConversation, wasListed: boolean): InboxList => {
  const { conversation_id: id, position } = item;
  const { start, end, items, rowsAbove, newAbove } = list;
  if (start && comparePositions(position, start) <= 0) {
    const above = newAbove.includes(id) ? newAbove : [...newAbove, id].slice(-NEW_ABOVE_MAX);
    return { ...list, rowsAbove: rowsAbove + (wasListed ? 1 : 0), newAbove: above };
  }
  if (end && comparePositions(position, end.position) > 0) return list;
  return { ...list, items: items.toSpliced(countBefore(items, position), 0, item) };
};

/** What the service says about some conversations of a view. */
export interface ReadConversations {
  readonly ids: ReadonlySet<string>;
  /** Those of them that are in the view. */
  readonly found: readonly ListedConversation[];
  readonly total: number;
  /** A conversation that stays where it is although it has left the view. */
  readonly keptId: string | undefined;
}

/** Brings conversations that were read again into a list. -> the same object if nothing has changed */
export const withConversations = (list: InboxList, { ids, found, total, keptId }: ReadConversations): InboxList => {
  const listed = new Set<string>();
  const isFound = new Set(found.map(({ conversation_id }) => conversation_id));
  const others = list.items.filter(({ conversation_id: id }) => {
    if (!ids.has(id) || (id === keptId && !isFound.has(id))) return true;
    listed.add(id);
    return false;
  });
  const next = withKnownObjects(list.items, found).reduce<InboxList>(
    (before, item) => placed(before, item, listed.has(item.conversation_id)),
    { ...list, items: others, total },
  );
  const isSame =
    next.total === list.total &&
    next.rowsAbove === list.rowsAbove &&
    next.newAbove === list.newAbove &&
    next.items.length === list.items.length &&
    next.items.every((item, index) => item === list.items[index]);
  return isSame ? list : next;
};

/** Conversations that are kept before and after those that are shown. */
const KEPT = { before: 300, after: 50 } as const;
/** Conversations that a list may have before some are taken out. */
export const ITEMS_MAX = 1_500;

/**
 * Removes conversations that are far from the shown rows.
 * -> the same object if it is short, or if no place is known at which it can be cut
 * @shape first, last: indexes of shown items
 */
export const trimmed = (list: InboxList, first: number, last: number): InboxList => {
  if (list.items.length <= ITEMS_MAX) return list;
  const { items, boundaries } = list;
  const cut = Math.max(0, first - KEPT.before);
  const lastCut = items[cut - 1];
  const limit = items[Math.min(items.length - 1, last + KEPT.after)]?.position;
  // The service continues a list at known places only.
  const found = limit && boundaries.find(({ position }) => comparePositions(position, limit) >= 0);
  const end = found ?? list.end;
  const next = items.slice(cut, end ? countBefore(items, end.position, true) : items.length);
  if (next.length === items.length) return list;
  return { ...list, items: next, start: lastCut ? lastCut.position : list.start, rowsAbove: list.rowsAbove + cut, end };
};
