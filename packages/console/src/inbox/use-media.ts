import { useMemo, useSyncExternalStore } from "react";

/** Whether the window matches a media query. */
export const useMedia = (text: string): boolean => {
  const query = useMemo(() => matchMedia(text), [text]);
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener("change", listener);
      return () => query.removeEventListener("change", listener);
    },
    () => query.matches,
  );
};

/** Enough space for a column of views beside the list and a conversation. */
export const WIDE = "(min-width: 78rem)";
