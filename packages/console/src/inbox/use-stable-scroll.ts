import { useRef, useState, type RefObject } from "react";
import { useEffect, useLayoutEffect } from "../state/effects.ts";
import type { InboxList } from "./inbox-list.ts";
import { rowShift } from "./scroll-anchor.ts";

/** Ids that are counted; more are shown as "more than". */
export const NEW_MAX = 99;

const NONE: ReadonlySet<string> = new Set();

/**
 * Keeps the rows that are shown where they are while the list changes above them: when the list is scrolled, or the pointer is over it, so
 * that a click meets the row that it was meant for.
 * -> number of conversations that were added above the shown rows
 * @shape rowHeight: pixels
 */
export const useStableScroll = (
  element: RefObject<HTMLElement | null>,
  { items, rowsAbove, newAbove }: InboxList,
  rowHeight: number,
): number => {
  const [newIds, setNewIds] = useState(NONE);
  const former = useRef({ items, rowsAbove });
  const scrollTop = useRef(0);
  const isHeld = useRef(false);
  /** Where the list would be at its beginning if the pointer was not over it. */
  const heldTop = useRef(0);

  useEffect(() => {
    const list = element.current;
    if (!list) return undefined;
    const onScroll = (): void => {
      scrollTop.current = list.scrollTop;
      if (list.scrollTop >= rowHeight / 2) return;
      heldTop.current = 0;
      setNewIds(NONE);
    };
    const onEnter = ({ pointerType }: PointerEvent): void => {
      isHeld.current = pointerType === "mouse";
    };
    const onLeave = (): void => {
      isHeld.current = false;
      if (heldTop.current > 0 && list.scrollTop === heldTop.current) list.scrollTop = 0;
      heldTop.current = 0;
    };
    list.addEventListener("scroll", onScroll, { passive: true });
    list.addEventListener("pointerenter", onEnter);
    list.addEventListener("pointerleave", onLeave);
    return () => {
      list.removeEventListener("scroll", onScroll);
      list.removeEventListener("pointerenter", onEnter);
      list.removeEventListener("pointerleave", onLeave);
    };
  }, [element, rowHeight]);

  useLayoutEffect(() => {
    const before = former.current;
    former.current = { items, rowsAbove };
    const list = element.current;
    if (!list || (before.items === items && before.rowsAbove === rowsAbove)) return;
    const top = scrollTop.current;
    if (top < 1 && !isHeld.current) return;
    const { rows, added } = rowShift(before, { items, rowsAbove }, Math.floor(top / rowHeight));
    if (rows === 0) return;
    list.scrollTop = top + rows * rowHeight;
    if (top === heldTop.current) heldTop.current = list.scrollTop;
    scrollTop.current = list.scrollTop;
    if (added.length > 0) setNewIds((ids) => new Set([...ids, ...added].slice(0, NEW_MAX + 1)));
  }, [element, items, rowsAbove, rowHeight]);

  return rowsAbove === 0 ? newIds.size : new Set([...newIds, ...newAbove]).size;
};
