/** @jsxImportSource preact */
import type { MessagePart } from "@parley/contract";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useRef } from "preact/hooks";
import { authorOf } from "../elements/author.ts";
import { useDisplay } from "../elements/display.ts";
import { Icon } from "../elements/icon.tsx";
import type { Thread, ThreadKey } from "../model/panel-model.ts";
import type { Answer } from "../parts/choices.tsx";
import { MessageRow } from "./message-row.tsx";
import { answeredIdOf, isOwn, isSystem, threadRowsOf } from "./rows.ts";
import { useThreadWindow } from "./use-thread-window.ts";

interface MessageListProps {
  readonly threadKey: ThreadKey;
  readonly thread: Thread;
  /** Parts of the topic's welcome message. */
  readonly welcome: readonly MessagePart[];
  /** Whether the visitor can see it: messages that are shown count as read then. */
  readonly isSeen: boolean;
  readonly isAnswerable: boolean;
  readonly answer: (messageId: string) => Answer;
  /** Below the messages. */
  readonly children: ComponentChildren;
}

const Typing = ({ thread }: { readonly thread: Thread }) => {
  const display = useDisplay();
  const [first, ...others] = thread.typing;
  if (!first) return null;
  const { texts } = display;
  const text = others.length > 0 ? texts.areTyping : texts.isTyping(authorOf(first, display).name);
  return (
    <div class="typing">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {text}
    </div>
  );
};

/** The messages of a thread. */
export const MessageList = ({
  threadKey,
  thread,
  welcome,
  isSeen,
  isAnswerable,
  answer,
  children,
}: MessageListProps) => {
  const { texts, actions } = useDisplay();
  const { messages, outgoing, conversation, hasOlder, isLoadingOlder } = thread;
  const rows = useMemo(
    () => threadRowsOf(thread, welcome),
    [messages, outgoing, hasOlder, thread.isLoading, thread.readBefore, welcome],
  );
  const onNearStart = useCallback(() => {
    if (hasOlder && !isLoadingOlder) actions.loadOlder(threadKey);
  }, [actions, threadKey, hasOlder, isLoadingOlder]);
  const shown = useThreadWindow({
    rows,
    ownCount: outgoing.length,
    isLoadingOlder,
    onNearStart,
  });

  const byId = useMemo(() => new Map(messages.map((message) => [message.id, message])), [messages]);

  const last = messages.at(-1);
  const lastOther = messages.findLast((message) => !isOwn(message));
  const isRead = isSeen && shown.isAtEnd;
  useEffect(() => {
    if (isRead && lastOther && conversation) actions.read(threadKey, lastOther.id);
  }, [isRead, lastOther?.id, conversation === undefined, actions, threadKey]);

  // Messages that arrive while the reader is elsewhere.
  const lastAtEnd = useRef(last?.id);
  if (shown.isAtEnd) lastAtEnd.current = last?.id;
  const hasNewBelow = !shown.isAtEnd && last !== undefined && last.id !== lastAtEnd.current;

  const lastSpoken = rows.findLastIndex((row) => row.kind !== "message" || !isSystem(row.message));
  const seenTime = conversation?.agent_read_time ?? "";
  const stateOf = (index: number): string | undefined => {
    const row = rows[index];
    if (index !== lastSpoken || row?.kind !== "message" || !isOwn(row.message)) return undefined;
    return row.message.created_time <= seenTime ? texts.seen : texts.sent;
  };

  return (
    <div class="messages">
      <div
        class="scroller"
        ref={shown.scroller}
        tabIndex={0}
        role="region"
        aria-label={texts.conversation}
        onScroll={shown.onScroll}
      >
        {isLoadingOlder && <p class="loadingOlder">{texts.loadingOlder}</p>}
        <div ref={shown.before} />
        <div ref={shown.list}>
          {rows.slice(shown.slice.first, shown.slice.end).map((row, index) => (
            <MessageRow
              key={row.key}
              row={row}
              state={stateOf(shown.slice.first + index)}
              quoted={byId.get(answeredIdOf(row) ?? "")}
              onShow={shown.toRow}
              answer={answer}
              isAnswerable={isAnswerable}
              onRetry={(id) => actions.retry(threadKey, id)}
              onDiscard={(id) => actions.discard(threadKey, id)}
            />
          ))}
        </div>
        <div ref={shown.after} />
        <div ref={shown.footer}>
          <Typing thread={thread} />
          {children}
        </div>
      </div>
      {!shown.isAtEnd && (
        <button
          type="button"
          class={hasNewBelow ? "toNewest newBelow" : "toNewest"}
          onClick={shown.toEnd}
          {...(!hasNewBelow && { "aria-label": texts.newest, title: texts.newest })}
        >
          {hasNewBelow && texts.newMessages} <Icon name="down" />
        </button>
      )}
    </div>
  );
};
