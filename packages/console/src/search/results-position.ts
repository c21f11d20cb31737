import type { RefObject } from "react";
import { useLayoutEffect } from "../state/effects.ts";

/** Where the results were scrolled to when one of them was opened. @units pixels */
let left: { readonly search: string; readonly top: number } | undefined;

const scrollerOf = (page: HTMLElement | null): HTMLElement | null => page?.closest("main") ?? null;

/** Results that are shown again after one of them was opened are where they were. -> to be called when a result is opened */
export const useResultsPosition = (page: RefObject<HTMLElement | null>, search: string): (() => void) => {
  useLayoutEffect(() => {
    if (left?.search === search) scrollerOf(page.current)?.scrollTo({ top: left.top });
    left = undefined;
    // Only when the page is opened: another search begins at its first result.
  }, []);
  return () => void (left = { search, top: scrollerOf(page.current)?.scrollTop ?? 0 });
};
