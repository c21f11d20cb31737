import { useCallback, useMemo, useRef, useState, type RefObject } from "react";
import { useEffect, useLayoutEffect } from "../state/effects.ts";
import { claimFocus } from "../ui/focus-keeper.ts";
import { indexOfItem, type InboxList } from "./inbox-list.ts";

export interface GridFocus {
  /** The conversation that the keyboard reaches; undefined in an empty list. */
  readonly activeId: string | undefined;
  readonly activeIndex: number;
  /** Whether no conversation has been active yet: the first step leads to the first conversation. */
  readonly isUnused: boolean;
  /** Moves the focus to a conversation, and shows it. */
  readonly moveTo: (id: string) => void;
  /** A conversation has received the focus by itself. */
  readonly noteActive: (id: string) => void;
}

/**
 * One row can be reached by Tab; the others by arrow keys. The focus follows its conversation when the list changes, and goes to the row that
 * took its place when the conversation leaves the list.
 */
export const useGridFocus = (
  element: RefObject<HTMLElement | null>,
  list: InboxList,
  { openId, firstShown }: { readonly openId: string | undefined; readonly firstShown: number },
): GridFocus => {
  const { items } = list;
  const [id, setId] = useState(openId);
  const lastIndex = useRef(0);
  /** The conversation that receives the focus as soon as its row is drawn. */
  const wanted = useRef<string>(undefined);
  const hadFocus = useRef(false);

  const found = id === undefined ? -1 : indexOfItem(list, id);
  // If the active row is far away, the keyboard continues at the shown rows.
  const fallback = list.rowsAbove > 0 ? firstShown - list.rowsAbove : lastIndex.current;
  const activeIndex = found >= 0 ? found : Math.max(0, Math.min(fallback, items.length - 1));
  const activeId = items[activeIndex]?.conversation_id;
  lastIndex.current = activeIndex;

  // A conversation that is opened elsewhere, such as by a link, is where the keyboard continues.
  useEffect(() => {
    if (openId !== undefined) setId(openId);
  }, [openId]);

  // The list of another view appears. Beside an open conversation it takes the focus only from its own part of the page.
  const isBesideConversation = useRef(openId !== undefined);
  useEffect(() => {
    const grid = element.current;
    const isInPart = grid?.closest("section")?.contains(document.activeElement) === true;
    if (!isBesideConversation.current || isInPart)
      claimFocus(grid?.querySelector<HTMLElement>("[role=row][tabindex='0']") ?? null);
  }, [element]);

  useLayoutEffect(() => {
    const grid = element.current;
    if (!grid) return undefined;
    const note = (): void => {
      hadFocus.current = grid.contains(document.activeElement);
    };
    grid.addEventListener("focusin", note);
    document.addEventListener("focusin", note);
    return () => {
      grid.removeEventListener("focusin", note);
      document.removeEventListener("focusin", note);
    };
  }, [element]);

  // After each drawing: rows that were moved or removed in the document have lost the focus.
  useLayoutEffect(() => {
    const grid = element.current;
    const isLost = hadFocus.current && document.activeElement === document.body;
    const target = wanted.current ?? (isLost ? activeId : undefined);
    if (!grid || target === undefined) return;
    const row = grid.querySelector<HTMLElement>(`[data-id="${CSS.escape(target)}"]`);
    if (!row) return;
    wanted.current = undefined;
    row.focus({ preventScroll: true });
  });

  const moveTo = useCallback(
    (next: string): void => {
      wanted.current = next;
      setId(next);
      const row = element.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(next)}"]`);
      if (!row) return;
      wanted.current = undefined;
      row.focus({ preventScroll: true });
    },
    [element],
  );
  return useMemo(
    () => ({ activeId, activeIndex, isUnused: id === undefined, moveTo, noteActive: setId }),
    [activeId, activeIndex, id, moveTo],
  );
};
