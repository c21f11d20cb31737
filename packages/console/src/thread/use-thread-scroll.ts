import { useVirtualizer, type ReactVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useRef, type RefObject } from "react";
import { useEffect, useLayoutEffect } from "../state/effects.ts";
import { extendThread, loadThread } from "./thread-loading.ts";
import type { ThreadRow } from "./rows.ts";
import type { Thread, ThreadState } from "./thread-store.ts";

/** The reader is at the end within this distance. @units pixels */
const END_PX = 60;
/** Older and newer messages are loaded before the reader reaches them. @units pixels */
const EXTEND_PX = 1_500;
/**
 * A scroll within this time and these frames after the reader's last action counts as the reader's: on a busy computer a frame takes long.
 * @units milliseconds
 */
const GESTURE_MS = 500;
const GESTURE_FRAMES = 3;
/** New rows are measured and laid out within this time. @units milliseconds */
const SETTLE_MS = 300;
/** The focus that moves to a message scrolls to it; its key was pressed elsewhere if it comes from outside. */
const GESTURES = ["wheel", "touchmove", "pointerdown", "keydown", "focusin"] as const;

/** -> a function that reports whether the reader has just acted on the element: a scroll is then the reader's */
const useGestures = (scroller: RefObject<HTMLDivElement | null>, isShown: boolean): (() => boolean) => {
  const endsAt = useRef(0);
  const framesLeft = useRef(0);
  useEffect(() => {
    const element = scroller.current;
    let frame = 0;
    const countFrame = (): void => {
      framesLeft.current -= 1;
      frame = framesLeft.current > 0 ? requestAnimationFrame(countFrame) : 0;
    };
    const note = ({ type, target, timeStamp }: Event): void => {
      // The page itself gives the focus to the whole thread.
      if (type === "focusin" && target === element) return;
      endsAt.current = timeStamp + GESTURE_MS;
      framesLeft.current = GESTURE_FRAMES;
      frame ||= requestAnimationFrame(countFrame);
    };
    for (const name of GESTURES) element?.addEventListener(name, note, { passive: true });
    return () => {
      for (const name of GESTURES) element?.removeEventListener(name, note);
      cancelAnimationFrame(frame);
      framesLeft.current = 0;
    };
  }, [scroller, isShown]);
  return useCallback(() => framesLeft.current > 0 || performance.now() < endsAt.current, []);
};

/** -> height of a row that was not measured yet, by the length of its text @units pixels */
const estimatedHeight = (row: ThreadRow | undefined): number => {
  if (!row) return 60;
  const { message_parts = [] } = "message" in row ? row.message : row.pending.message;
  const letters = message_parts.reduce(
    (sum, { text, image, video }) => sum + (text?.content.length ?? (image || video ? 600 : 60)),
    0,
  );
  const lines = Math.min(32, Math.ceil(letters / 60));
  return 22 + 22 * lines + (row.isFirstOfGroup ? 28 : 0) + (row.separators.day ? 44 : 0);
};

interface ScrollInput {
  readonly conversationId: string;
  readonly thread: Thread;
  readonly state: ThreadState;
  readonly rows: readonly ThreadRow[];
  readonly scroller: RefObject<HTMLDivElement | null>;
  /** Whether the element that scrolls exists: a thread that could not be loaded is replaced by a message. */
  readonly isShown: boolean;
  /** Whether the thread opens at a message instead of at the newest message. */
  readonly opensAtMessage: boolean;
}

interface ThreadScroll {
  readonly virtualizer: ReactVirtualizer<HTMLDivElement, HTMLDivElement>;
  /** Shows the newest messages, which are loaded if needed. */
  readonly toNewest: () => void;
}

/** Keeps the position of the reader: at the end if the reader is there, otherwise where the messages that are being read stay in place. */
export const useThreadScroll = (input: ScrollInput): ThreadScroll => {
  const { conversationId, thread, state, rows, scroller, isShown, opensAtMessage } = input;
  /** Once the newest messages are there, the thread scrolls to them. */
  const wantsEnd = useRef(!opensAtMessage);
  /** A page that was loaded after the last row is below the reader; only messages that arrive are followed. */
  const wasComplete = useRef(false);
  const layout = useRef({ height: 0, windowHeight: 0, messages: state.messages, changedAt: 0 });
  const lastTop = useRef<number>(undefined);
  const onVirtualizerChange = useRef<() => void>(undefined);
  const isReaderActing = useGestures(scroller, isShown);

  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimatedHeight(rows[index]),
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    overscan: 8,
    paddingStart: 36,
    paddingEnd: 12,
    anchorTo: "end",
    followOnAppend: wasComplete.current && state.isAtEnd,
    scrollEndThreshold: END_PX,
    directDomUpdates: true,
    directDomUpdatesMode: "position",
    onChange: () => onVirtualizerChange.current?.(),
  });

  const check = useCallback((): void => {
    const element = scroller.current;
    const { phase, hasNewer, hasGap, hasOlder, isAtEnd, arrivals, failedEnd, messages } = thread.get();
    if (!element || phase !== "ready" || wantsEnd.current) return;
    const below = element.scrollHeight - element.scrollTop - element.clientHeight;
    const atEnd = below <= END_PX;
    const { scrollHeight: height, clientHeight: windowHeight } = element;
    const last = layout.current;
    if (height !== last.height || windowHeight !== last.windowHeight || messages !== last.messages)
      layout.current = { height, windowHeight, messages, changedAt: performance.now() };
    const isChanging = performance.now() - layout.current.changedAt < SETTLE_MS;
    const hasScrolled = element.scrollTop !== lastTop.current;
    lastTop.current = element.scrollTop;
    // Messages that arrived, a picture that was loaded, or a composer that grew moved the end away, not the reader.
    if (isAtEnd && !hasNewer && below >= 1 && isChanging && !(hasScrolled && isReaderActing()))
      return virtualizer.scrollToEnd();
    if (atEnd !== isAtEnd || (atEnd && !hasNewer && arrivals > 0))
      thread.update((present) => ({ ...present, isAtEnd: atEnd, arrivals: atEnd && !hasNewer ? 0 : present.arrivals }));
    if (failedEnd) return;
    if ((hasNewer || hasGap) && below < EXTEND_PX) void extendThread(conversationId, thread, "newer");
    else if (hasOlder && element.scrollTop < EXTEND_PX) void extendThread(conversationId, thread, "older");
  }, [conversationId, thread, scroller, virtualizer, isReaderActing]);

  useLayoutEffect(() => {
    wasComplete.current = state.phase === "ready" && !state.hasNewer;
    if (!wantsEnd.current || state.phase !== "ready" || state.hasNewer || rows.length === 0) return;
    wantsEnd.current = false;
    virtualizer.scrollToEnd();
  }, [state, rows, virtualizer]);

  // After the loaded messages are laid out: they may be lower than the window.
  useEffect(() => {
    const frame = requestAnimationFrame(check);
    return () => cancelAnimationFrame(frame);
  }, [state, check]);

  // After the listener of the virtualizer: a rendering between the two would repeat a correction that the reader's scroll cancels.
  useEffect(() => {
    const element = scroller.current;
    element?.addEventListener("scroll", check, { passive: true });
    return () => element?.removeEventListener("scroll", check);
  }, [scroller, isShown, check]);

  // A row that grows does not always cause a scroll: in the callback of a ResizeObserver, a browser may limit the correction to the old height.
  useEffect(() => {
    let frame = 0;
    onVirtualizerChange.current = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        check();
      });
    };
    return () => {
      onVirtualizerChange.current = undefined;
      cancelAnimationFrame(frame);
    };
  }, [check]);

  // The composer grows, or the window changes: a reader at the end stays there.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => thread.get().isAtEnd && !wantsEnd.current && virtualizer.scrollToEnd());
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, isShown, thread, virtualizer]);

  const toNewest = useCallback((): void => {
    thread.update((present) => ({ ...present, isAtEnd: true, arrivals: 0 }));
    if (thread.get().hasNewer) {
      wantsEnd.current = true;
      void loadThread(conversationId, thread);
    } else {
      virtualizer.scrollToEnd();
    }
  }, [conversationId, thread, virtualizer]);

  const pendingCount = state.pending.length;
  const lastPending = useRef(pendingCount);
  useLayoutEffect(() => {
    if (pendingCount > lastPending.current) {
      if (thread.get().hasNewer) wantsEnd.current = true;
      else virtualizer.scrollToEnd();
    }
    lastPending.current = pendingCount;
  }, [pendingCount, thread, virtualizer]);

  return { virtualizer, toNewest };
};
