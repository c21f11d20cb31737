import type { InboxFilter, InboxItem, InboxOrder } from "@parley/contract";
import { IDS_MAX, indexOfItem, type InboxList } from "./inbox-list.ts";
import { comparePositions, countBefore, listPositionOf } from "./positions.ts";
import { matchesView, type Viewer } from "./view-match.ts";

/** The list that a change is brought into. */
export interface ListView {
  readonly filter: InboxFilter;
  readonly order: InboxOrder;
  readonly viewer: Viewer;
  /** Id of the open conversation: it remains in a list of unread conversations after it was read. */
  readonly openId?: string | undefined;
}

export interface ItemChange {
  /** undefined: not known; null: it did not exist. */
  readonly before: InboxItem | null | undefined;
  readonly after: InboxItem;
  readonly isCertain: boolean;
}

const belongsTo = (item: InboxItem, { filter, viewer, openId }: ListView): boolean => {
  const { unread, ...others } = filter;
  return matchesView(item, item.conversation_id === openId && unread === true ? others : filter, viewer);
};

const withId = (ids: readonly string[], id: string): readonly string[] =>
  ids.includes(id) ? ids : [...ids, id].slice(-IDS_MAX);
const withoutId = (ids: readonly string[], id: string): readonly string[] =>
  ids.includes(id) ? ids.filter((each) => each !== id) : ids;

/** With more doubts, the beginning of the list is read again before single conversations are. */
const FEW_DOUBTS = 4;
/** Doubts that are kept. */
const DOUBTS_MAX = 500;

/** Notes that a conversation must be read again as soon as it is shown. */
export const withDoubt = (list: InboxList, id: string): InboxList => {
  const doubts = list.doubts.includes(id) ? list.doubts : [...list.doubts, id].slice(-DOUBTS_MAX);
  return { ...list, doubts, isStale: list.isStale || doubts.length > FEW_DOUBTS };
};

/** -> the list without a conversation that has left its view, or that does not exist any more */
export const withoutItem = (list: InboxList, id: string): InboxList => {
  const index = indexOfItem(list, id);
  if (index < 0) return list.doubts.includes(id) ? { ...list, doubts: withoutId(list.doubts, id) } : list;
  return {
    ...list,
    items: list.items.toSpliced(index, 1),
    total: Math.max(0, list.total - 1),
    doubts: withoutId(list.doubts, id),
  };
};

/** Puts a conversation where it belongs in the loaded part, or takes it out. */
const placed = (list: InboxList, item: InboxItem, order: InboxOrder): InboxList => {
  const { conversation_id: id } = item;
  const { start, end } = list;
  const index = indexOfItem(list, id);
  const others = index < 0 ? list.items : list.items.toSpliced(index, 1);
  const position = listPositionOf(item, order);
  if (start && comparePositions(position, start) <= 0)
    return {
      ...list,
      items: others,
      rowsAbove: list.rowsAbove + (index < 0 ? 0 : 1),
      newAbove: withId(list.newAbove, id),
    };
  if (end && comparePositions(position, end.position) > 0) return index < 0 ? list : { ...list, items: others };
  return { ...list, items: others.toSpliced(countBefore(others, order, position), 0, item) };
};

/**
 * Brings a change of one conversation into a list. The total is in doubt after a message in a conversation that is not loaded: whether the
 * message has brought it into the view is not known. -> the same object if the change does not concern the list
 */
export const withChange = (list: InboxList, { before, after, isCertain }: ItemChange, view: ListView): InboxList => {
  const { conversation_id: id } = after;
  const present = list.items[indexOfItem(list, id)];
  if (present === after) return list;
  const isListed = present !== undefined;
  const belongs = belongsTo(after, view);
  const belonged = isListed || (before ? belongsTo(before, view) : before === null ? false : undefined);
  if (!belongs) {
    if (isListed) return withoutItem(list, id);
    return belonged ? { ...list, total: Math.max(0, list.total - 1) } : list;
  }
  const next = placed(list, after, view.order);
  const counted = belonged === false ? { ...next, total: next.total + 1 } : next;
  const checked = belonged === undefined && !counted.isStale ? { ...counted, isStale: true } : counted;
  if (isCertain) return checked.doubts.includes(id) ? { ...checked, doubts: withoutId(checked.doubts, id) } : checked;
  return indexOfItem(checked, id) < 0 ? checked : withDoubt(checked, id);
};
