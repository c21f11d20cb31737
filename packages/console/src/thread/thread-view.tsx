import { useCallback, useMemo, useRef, useState } from "react";
import type { InboxItem } from "@parley/contract";
import { useEffect, useLayoutEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { errorText } from "../ui/error-text.ts";
import { claimFocus, FOCUS_START } from "../ui/focus-keeper.ts";
import { uiMessages } from "../ui/messages.ts";
import { Spinner } from "../ui/spinner.tsx";
import { showToast } from "../ui/toast-store.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { Announcer } from "./announcer.tsx";
import { createAuthors } from "./authors.ts";
import { useSeenMessage } from "./customer-state.tsx";
import { MessageRow } from "./message-row.tsx";
import { threadMessages as texts } from "./messages.ts";
import { threadRowsOf } from "./rows.ts";
import { ThreadContext } from "./thread-context.ts";
import { extendThread, loadThread } from "./thread-loading.ts";
import type { Thread } from "./thread-store.ts";
import styles from "./thread.module.css";
import { useThreadScroll } from "./use-thread-scroll.ts";

interface ThreadViewProps {
  readonly item: InboxItem;
  readonly thread: Thread;
  /** The message that the address names. */
  readonly messageId: string | undefined;
  /** Called when that message is shown: the address need not name it any more. */
  readonly onMessageShown: () => void;
  readonly unreadFrom: string | undefined;
}

/** How long a message that was looked for is highlighted. @units milliseconds */
const HIGHLIGHT_MS = 3_000;

/** The messages of a conversation. */
export const ThreadView = ({ item, thread, messageId, onMessageShown, unreadFrom }: ThreadViewProps) => {
  const conversationId = item.conversation_id;
  const workspace = useWorkspace();
  const state = useStore(thread);
  const scroller = useRef<HTMLDivElement>(null);
  const { messages, pending, keys, phase } = state;
  const rows = useMemo(
    () => threadRowsOf({ messages, pending, keys, unreadFrom }),
    [messages, pending, keys, unreadFrom],
  );
  const seen = useSeenMessage(conversationId, messages);
  const isShown = phase !== "failed" || messages.length > 0;
  const { virtualizer, toNewest } = useThreadScroll({
    ...{ conversationId, thread, state, rows, scroller, isShown },
    opensAtMessage: messageId !== undefined,
  });

  /** The message to be shown as soon as it is loaded. */
  const [target, setTarget] = useState(messageId);
  const looked = useRef<string>(undefined);
  const [highlighted, setHighlighted] = useState<string>();
  useEffect(() => {
    if (messageId !== undefined) setTarget(messageId);
  }, [messageId]);
  useLayoutEffect(() => {
    if (target === undefined || phase !== "ready") return;
    const index = rows.findIndex((row) => "message" in row && row.message.id === target);
    if (index === -1) {
      if (state.extending) return;
      if (looked.current !== target) {
        looked.current = target;
        return void loadThread(conversationId, thread, target);
      }
      // The messages that were loaded around it do not contain it: it was erased.
      showToast(texts.messageGone, { tone: "error" });
      setTarget(undefined);
      onMessageShown();
      return void toNewest();
    }
    looked.current = undefined;
    if (target === messageId) onMessageShown();
    thread.update((present) => ({ ...present, isAtEnd: false }));
    virtualizer.scrollToIndex(index, { align: "center" });
    setHighlighted(target);
    setTarget(undefined);
  }, [target, messageId, phase, rows, state.extending, conversationId, thread, virtualizer, onMessageShown, toNewest]);
  useEffect(() => {
    if (highlighted === undefined) return;
    const timer = setTimeout(() => setHighlighted(undefined), HIGHLIGHT_MS);
    return () => clearTimeout(timer);
  }, [highlighted]);

  useEffect(() => {
    claimFocus(scroller.current);
  }, []);
  const showMessage = useCallback((id: string) => setTarget(id), []);
  const context = useMemo(
    () => ({ item, thread, authorOf: createAuthors(workspace, item), showMessage }),
    [item, thread, workspace, showMessage],
  );

  if (!isShown)
    return (
      <EmptyState icon="warning" title={texts.failed} text={errorText(state.error)}>
        <Button onPress={() => void loadThread(conversationId, thread)}>{uiMessages.retry}</Button>
      </EmptyState>
    );
  const { failedEnd, extending } = state;
  return (
    <ThreadContext value={context}>
      <div className={styles.thread}>
        <div
          ref={scroller}
          className={styles.scroller}
          tabIndex={0}
          role="region"
          {...FOCUS_START}
          aria-label={texts.messages}
        >
          {phase === "loading" && <Spinner />}
          {phase === "ready" && rows.length === 0 && (
            <EmptyState icon="reply" title={texts.empty} text={texts.emptyText} />
          )}
          <div ref={virtualizer.containerRef} className={styles.rows}>
            {virtualizer.getVirtualItems().map(({ key, index }) => {
              const row = rows[index];
              return (
                row && (
                  <div key={key} data-index={index} ref={virtualizer.measureElement} className={styles.row}>
                    <MessageRow
                      row={row}
                      isHighlighted={"message" in row && row.message.id === highlighted}
                      seenTime={"message" in row && row.message.id === seen?.id ? seen.time : undefined}
                    />
                  </div>
                )
              );
            })}
          </div>
        </div>
        {phase === "ready" && extending && (
          <div className={styles.extending} data-end={extending}>
            <Spinner />
          </div>
        )}
        {failedEnd && (
          <div className={styles.endFailed} data-end={failedEnd} role="alert">
            {texts.endFailed}
            <Button isSmall onPress={() => void extendThread(conversationId, thread, failedEnd)}>
              {uiMessages.retry}
            </Button>
          </div>
        )}
        {phase === "ready" && rows.length > 0 && (!state.isAtEnd || state.hasNewer) && (
          <div className={styles.newest}>
            <Button isSmall icon="down" variant={state.arrivals > 0 ? "primary" : "secondary"} onPress={toNewest}>
              {state.arrivals > 0 ? texts.arrivals(state.arrivals) : texts.toNewest}
            </Button>
          </div>
        )}
        <Announcer messages={state.announced} authorOf={context.authorOf} />
      </div>
    </ThreadContext>
  );
};
