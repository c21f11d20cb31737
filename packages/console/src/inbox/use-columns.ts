import { useState, type RefObject } from "react";
import { useLayoutEffect } from "../state/effects.ts";
import type { DetailsState } from "../thread/details-area.tsx";
import { columnsIn } from "./columns.ts";

const VIEWS_KEY = "parley-inbox-views";
const DETAILS_KEY = "parley-details";

const remPx = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

/** @units rem */
const useSpaceBesideList = (page: RefObject<HTMLElement | null>, list: RefObject<HTMLElement | null>): number => {
  const [space, setSpace] = useState(0);
  useLayoutEffect(() => {
    const [outer, inner] = [page.current, list.current];
    if (!outer || !inner) return undefined;
    const measure = (): void => setSpace((outer.clientWidth - inner.offsetWidth) / remPx());
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(outer);
    observer.observe(inner);
    return () => observer.disconnect();
  }, [page, list]);
  return space;
};

/** Whether the agent wants a column, kept in the browser. @shape value: that of a column that is not wanted */
const useWanted = (key: string, value: string) => {
  const [isWanted, setWanted] = useState(() => localStorage.getItem(key) !== value);
  const want = (next: boolean): void => {
    if (next) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    setWanted(next);
  };
  return [isWanted, want] as const;
};

interface ViewsState {
  readonly isColumn: boolean;
  readonly hide: () => void;
  /** Shows the column again; absent without space for it. */
  readonly show: (() => void) | undefined;
}

/** The columns of the inbox that fit and that the agent wants. */
export const useColumns = (
  page: RefObject<HTMLElement | null>,
  list: RefObject<HTMLElement | null>,
  conversationId: string | undefined,
): { readonly views: ViewsState; readonly details: DetailsState } => {
  const space = useSpaceBesideList(page, list);
  const [wantsViews, wantViews] = useWanted(VIEWS_KEY, "hidden");
  const [wantsDetails, wantDetails] = useWanted(DETAILS_KEY, "closed");
  /** The conversation above which the details are shown: they are asked for anew in another conversation. */
  const [coveredId, setCoveredId] = useState<string>();

  const columnsWith = (views: boolean) =>
    columnsIn(space, { views, details: wantsDetails, isConversationOpen: conversationId !== undefined });
  const { views, details, areDetailsAbove } = columnsWith(wantsViews);
  const isOpen = areDetailsAbove ? coveredId !== undefined && coveredId === conversationId : details;
  const change = (open: boolean): void => {
    if (areDetailsAbove) setCoveredId(open ? conversationId : undefined);
    else wantDetails(open);
  };
  return {
    views: {
      isColumn: views,
      hide: () => wantViews(false),
      show: columnsWith(true).views ? () => wantViews(true) : undefined,
    },
    details: { isSheet: areDetailsAbove, isOpen, toggle: () => change(!isOpen), close: () => change(false) },
  };
};
