import type { ListedConversation } from "@parley/contract";

/** Conversations that the agent has selected in a list. */
export interface Selection {
  /** As they were when they were selected. */
  readonly items: ReadonlyMap<string, ListedConversation>;
  /** Where a range begins that Shift extends. */
  readonly anchorId: string | undefined;
}

export const NO_SELECTION: Selection = { items: new Map(), anchorId: undefined };

const added = (selection: Selection, items: readonly ListedConversation[]): ReadonlyMap<string, ListedConversation> =>
  new Map([...selection.items, ...items.map((item) => [item.conversation_id, item] as const)]);

export const toggled = (selection: Selection, item: ListedConversation): Selection => {
  const { conversation_id: id } = item;
  const items = new Map(selection.items);
  if (!items.delete(id)) items.set(id, item);
  return { items, anchorId: id };
};

/** Selects all conversations between the anchor and another conversation, both included. */
export const extended = (
  selection: Selection,
  listed: readonly ListedConversation[],
  from: string,
  to: string,
): Selection => {
  const { anchorId = from } = selection;
  const indexOf = (id: string): number => listed.findIndex(({ conversation_id }) => conversation_id === id);
  const end = indexOf(to);
  const anchor = indexOf(anchorId);
  if (end < 0) return selection;
  const start = anchor < 0 ? end : anchor;
  const range = listed.slice(Math.min(start, end), Math.max(start, end) + 1);
  return { items: added(selection, range), anchorId: listed[start]?.conversation_id };
};

export const withAll = (selection: Selection, listed: readonly ListedConversation[]): Selection => ({
  ...selection,
  items: added(selection, listed),
});

/** Takes conversations out. -> the same object if it contains no such conversation */
export const withoutItems = (selection: Selection, isOut: (item: ListedConversation) => boolean): Selection => {
  const kept = [...selection.items].filter(([, item]) => !isOut(item));
  return kept.length === selection.items.size ? selection : { ...selection, items: new Map(kept) };
};
