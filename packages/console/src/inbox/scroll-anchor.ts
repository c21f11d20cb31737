import type { InboxList } from "./inbox-list.ts";

type Rows = Pick<InboxList, "items" | "rowsAbove">;

interface RowShift {
  /** Number of rows by which the shown rows have moved down. */
  readonly rows: number;
  /** Ids of conversations that were added above the shown rows. */
  readonly added: readonly string[];
}

const NO_SHIFT: RowShift = { rows: 0, added: [] };

/**
 * How far a change of a list has moved the first shown row that is still there. A conversation that has changed is passed over: it may have
 * moved to another place.
 * @shape topRow: the first shown row
 */
export const rowShift = (before: Rows, after: Rows, topRow: number): RowShift => {
  const first = topRow - before.rowsAbove;
  if (first < 0) return NO_SHIFT;
  const indexes = new Map(after.items.map(({ conversation_id }, index) => [conversation_id, index]));
  const shownIndex = before.items.findIndex(
    (item, index) => index >= first && after.items[indexes.get(item.conversation_id) ?? -1] === item,
  );
  const shown = before.items[shownIndex];
  const index = shown && indexes.get(shown.conversation_id);
  if (index === undefined) return NO_SHIFT;
  const above = new Set(before.items.slice(0, first).map(({ conversation_id }) => conversation_id));
  const isRead = after.rowsAbove < before.rowsAbove;
  return {
    rows: after.rowsAbove + index - (before.rowsAbove + shownIndex),
    added: isRead ? [] : after.items.slice(0, index).flatMap(({ conversation_id: id }) => (above.has(id) ? [] : [id])),
  };
};
