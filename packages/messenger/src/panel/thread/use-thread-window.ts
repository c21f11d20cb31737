import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";
import type { ThreadRow } from "./rows.ts";

/** Rows within this distance of the visible part are in the document. @units pixels */
const OVERSCAN_PX = 800;
/** The reader is at the end within this distance. @units pixels */
const END_PX = 48;
/** Earlier messages are loaded before the reader reaches them. @units pixels */
const OLDER_PX = 600;
/** Height of a row that was not measured yet. @units pixels */
const ROW_ESTIMATE_PX = 64;
/** Space above a row that is scrolled to. @units pixels */
const ROW_MARGIN_PX = 12;
/** Rows at the first display, before anything is measured. */
const FIRST_ROWS = 30;

interface Slice {
  readonly first: number;
  /** Index after the last row. */
  readonly end: number;
}

interface ThreadWindowInput {
  readonly rows: readonly ThreadRow[];
  readonly ownCount: number;
  /** Whether a line about it is shown before the rows. */
  readonly isLoadingOlder: boolean;
  readonly onNearStart: () => void;
}

interface ThreadWindow {
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Contains the rows and nothing else. */
  readonly list: RefObject<HTMLDivElement | null>;
  readonly before: RefObject<HTMLDivElement | null>;
  readonly after: RefObject<HTMLDivElement | null>;
  /** What follows the messages. */
  readonly footer: RefObject<HTMLDivElement | null>;
  readonly slice: Slice;
  readonly isAtEnd: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
  /** Scrolls to a row, which then has the focus. */
  readonly toRow: (key: string) => void;
}

/** -> index of the last row that begins at or before a position */
const rowAt = (tops: readonly number[], position: number): number => {
  let low = 0;
  let high = Math.max(0, tops.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
};

/**
 * Keeps only the rows near the visible part in the document, with empty boxes of the height of the others before and after them. The reader
 * stays at the end when at the end; otherwise the row at the upper edge keeps its place, whatever is added or becomes larger.
 */
export const useThreadWindow = ({ rows, ownCount, isLoadingOlder, onNearStart }: ThreadWindowInput): ThreadWindow => {
  const [scroller, list] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const footer = useRef<HTMLDivElement>(null);
  const [before, after] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const heights = useRef(new Map<string, number>());
  const isFollowing = useRef(true);
  /** The row at the upper edge, and the distance of the edge from its top. */
  const anchor = useRef<{ readonly key: string; readonly offset: number }>(undefined);
  /** The row that gets the focus once it is in the document. */
  const wantedFocus = useRef<string>(undefined);
  const [isAtEnd, setAtEnd] = useState(true);
  const [wanted, setWanted] = useState<{ readonly key: string; readonly count: number }>();
  const shown = useRef<{ rows: readonly ThreadRow[]; tops: number[] }>({ rows, tops: [0] });
  const lastOwnCount = useRef(ownCount);

  // A new message of the visitor is always shown.
  if (ownCount > lastOwnCount.current) isFollowing.current = true;
  lastOwnCount.current = ownCount;

  const firstWanted = wanted ? rows.findIndex(({ key }) => key === wanted.key) : -1;
  const slice: Slice =
    isFollowing.current || firstWanted === -1
      ? { first: Math.max(0, rows.length - Math.max(FIRST_ROWS, wanted?.count ?? 0)), end: rows.length }
      : { first: firstWanted, end: Math.min(rows.length, firstWanted + (wanted?.count ?? 0)) };

  const measureTops = useCallback((): number[] => {
    const tops = [0];
    let top = 0;
    for (const { key } of shown.current.rows) tops.push((top += heights.current.get(key) ?? ROW_ESTIMATE_PX));
    shown.current.tops = tops;
    return tops;
  }, []);

  /** Adjusts the slice, the anchor and what follows from the position of the scroller. */
  const onScroll = useCallback((): void => {
    const element = scroller.current;
    if (!element) return;
    const { rows: all, tops } = shown.current;
    const start = before.current?.offsetTop ?? 0;
    const position = element.scrollTop - start;
    isFollowing.current = element.scrollHeight - element.scrollTop - element.clientHeight <= END_PX;
    setAtEnd(isFollowing.current);
    const edge = rowAt(tops, Math.max(0, position));
    const edgeRow = all[edge];
    anchor.current = edgeRow && { key: edgeRow.key, offset: position - (tops[edge] ?? 0) };
    const first = rowAt(tops, Math.max(0, position - OVERSCAN_PX));
    const last = rowAt(tops, position + element.clientHeight + OVERSCAN_PX);
    const firstKey = all[first]?.key;
    if (firstKey !== undefined)
      setWanted((old) => {
        const count = last - first + 1;
        return old?.key === firstKey && old.count === count ? old : { key: firstKey, count };
      });
    if (position < OLDER_PX) onNearStart();
  }, [onNearStart]);

  /** Measures the rows in the document and puts the reader where the reader was. */
  const settle = useCallback((): void => {
    const [element, rowList] = [scroller.current, list.current];
    if (!element || !rowList) return;
    for (const child of rowList.children) {
      const { key } = (child as HTMLElement).dataset;
      if (key !== undefined) heights.current.set(key, child.getBoundingClientRect().height);
    }
    const tops = measureTops();
    const total = tops.at(-1) ?? 0;
    const firstKey = (rowList.firstElementChild as HTMLElement | null)?.dataset["key"];
    const first = Math.max(
      0,
      shown.current.rows.findIndex(({ key }) => key === firstKey),
    );
    const beforePx = tops[first] ?? 0;
    const afterPx = total - (tops[first + rowList.children.length] ?? total);
    if (before.current) before.current.style.height = `${beforePx}px`;
    if (after.current) after.current.style.height = `${afterPx}px`;
    const start = before.current?.offsetTop ?? 0;
    const { key, offset = 0 } = anchor.current ?? {};
    const anchored =
      isFollowing.current || key === undefined ? -1 : shown.current.rows.findIndex((row) => row.key === key);
    const top = anchored === -1 ? undefined : start + (tops[anchored] ?? 0) + offset;
    if (isFollowing.current) element.scrollTop = element.scrollHeight;
    else if (top !== undefined && Math.abs(element.scrollTop - top) >= 1) element.scrollTop = top;
  }, [measureTops]);

  const giveFocus = useCallback((): void => {
    const rowsShown = [...(list.current?.children ?? [])] as HTMLElement[];
    const row = rowsShown.find(({ dataset }) => dataset["key"] === wantedFocus.current);
    if (!row) return;
    wantedFocus.current = undefined;
    row.querySelector<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
  }, []);

  useLayoutEffect(() => {
    shown.current.rows = rows;
    settle();
    onScroll();
    giveFocus();
  }, [rows, slice.first, slice.end, isLoadingOlder, settle, onScroll, giveFocus]);

  // Pictures and fonts that are loaded, the keyboard of a phone and a turned device change heights.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(settle);
    for (const { current } of [scroller, list, footer]) if (current) observer.observe(current);
    return () => observer.disconnect();
  }, [settle]);

  const toEnd = useCallback((): void => {
    isFollowing.current = true;
    setAtEnd(true);
    setWanted(undefined);
    settle();
  }, [settle]);

  const toRow = useCallback(
    (key: string): void => {
      isFollowing.current = false;
      // The row at the upper edge keeps its place while the rows around it are measured.
      anchor.current = { key, offset: -ROW_MARGIN_PX };
      setWanted({ key, count: FIRST_ROWS });
      wantedFocus.current = key;
      settle();
      giveFocus();
    },
    [settle, giveFocus],
  );

  return { scroller, list, before, after, footer, slice, isAtEnd, onScroll, toEnd, toRow };
};
