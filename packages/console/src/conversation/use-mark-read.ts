import type { InboxItem } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useEffect } from "../state/effects.ts";
import { markConversation } from "./actions.ts";

/** @units milliseconds */
const INTERVAL_MS = 1_000;

/**
 * Marks the open conversation as read while the window has the focus, at most once a second.
 * -> a function that keeps it unread until it is opened again, for an agent who marks it as unread
 */
export const useMarkRead = ({ conversation_id: id, unread }: InboxItem): (() => void) => {
  const queries = useQueryClient();
  const isKeptUnread = useRef(false);
  const lastMark = useRef(0);
  /** The number of unread messages when marking failed: it is tried again with the next message or focus. */
  const failedAt = useRef<number>(undefined);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const mark = (): void => {
      clearTimeout(timer);
      if (unread === 0 || isKeptUnread.current || failedAt.current === unread) return;
      if (document.visibilityState !== "visible" || !document.hasFocus()) return;
      const wait = lastMark.current + INTERVAL_MS - Date.now();
      if (wait > 0) return void (timer = setTimeout(mark, wait));
      lastMark.current = Date.now();
      markConversation(queries, id, true).catch(() => {
        failedAt.current = unread;
      });
    };
    const onFocus = (): void => {
      failedAt.current = undefined;
      mark();
    };
    mark();
    addEventListener("focus", onFocus);
    document.addEventListener("visibilitychange", onFocus);
    return () => {
      clearTimeout(timer);
      removeEventListener("focus", onFocus);
      document.removeEventListener("visibilitychange", onFocus);
    };
  }, [queries, id, unread]);

  return () => {
    isKeptUnread.current = true;
  };
};
