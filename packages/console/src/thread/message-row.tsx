import type { Message } from "@parley/contract";
import { memo, type ReactNode } from "react";
import { formatDateTime, formatTimeOfDay } from "../i18n/format.ts";
import { PersonAvatar } from "../ui/avatar.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { PictureSourceContext } from "../pictures/picture-source.ts";
import { SeenLine } from "./customer-state.tsx";
import { threadMessages as texts } from "./messages.ts";
import { Parts, ReplyParts } from "./parts/part-view.tsx";
import { messagePreview } from "./parts/preview.ts";
import { PendingState } from "./pending-state.tsx";
import { ReplyReference } from "./reply-reference.tsx";
import { isSystemMessage, type ThreadRow } from "./rows.ts";
import { Separators } from "./separators.tsx";
import { useThreadContext, type Author } from "./thread-context.ts";
import styles from "./thread.module.css";

interface BubbleProps {
  readonly author: Author;
  readonly isPrivate: boolean;
  readonly isFirst: boolean;
  readonly time: string;
  readonly children: ReactNode;
}

/** A message with its author, if it is the first one of a group. */
const Bubble = ({ author, isPrivate, isFirst, time, children }: BubbleProps) => (
  <div className={styles.message} data-side={author.side} data-first={isFirst}>
    {isFirst && <PersonAvatar name={author.name} url={author.avatarUrl} of={author.avatarOf} isSmall />}
    <div className={styles.content}>
      {isFirst ? (
        <div className={styles.author}>
          <h2 className={styles.name}>{author.name}</h2>
          <time className={styles.time} dateTime={time} title={formatDateTime(time)}>
            {formatTimeOfDay(time)}
          </time>
        </div>
      ) : (
        <h2 className="visually-hidden">{`${author.name}, ${formatTimeOfDay(time)}`}</h2>
      )}
      <div className={classes(styles.bubble, isPrivate && styles.note)} title={formatDateTime(time)}>
        {isPrivate && (
          <p className={styles.noteLabel}>
            <Icon name="note" />
            {texts.privateNote}
            <span className="visually-hidden">. {texts.notVisible}</span>
          </p>
        )}
        {children}
      </div>
    </div>
  </div>
);

/** The service's own messages have texts in the page's language. */
const SystemMessage = ({ message }: { readonly message: Message }) => {
  const { authorOf } = useThreadContext();
  const { meta_data = {}, message_parts, created_time, actor_type } = message;
  const isResolved = meta_data["isResolved"] === true;
  const isReopened = meta_data["isReopen"] === true;
  const text = isResolved ? texts.resolved : isReopened ? texts.reopened : messagePreview(message_parts, 500);
  return (
    <p className={styles.system}>
      <Icon name={isResolved ? "check" : isReopened ? "undo" : "clock"} />
      <span>
        {actor_type !== "system" && `${authorOf(message).name}: `}
        {text}
      </span>
      <time className={styles.time} dateTime={created_time} title={formatDateTime(created_time)}>
        {formatTimeOfDay(created_time)}
      </time>
    </p>
  );
};

const ConfirmedMessage = ({ message, isFirst }: { readonly message: Message; readonly isFirst: boolean }) => {
  const { authorOf, item } = useThreadContext();
  if (isSystemMessage(message)) return <SystemMessage message={message} />;
  const author = authorOf(message);
  const { message_type, created_time, message_parts, reply_parts = [], in_reply_to } = message;
  return (
    <Bubble author={author} isPrivate={message_type === "private"} isFirst={isFirst} time={created_time}>
      {in_reply_to && <ReplyReference messageId={in_reply_to.message_id} />}
      <PictureSourceContext value={{ conversation_id: item.conversation_id, message_id: message.id }}>
        <Parts parts={message_parts} author={author.name} />
        {reply_parts.length > 0 && <ReplyParts parts={reply_parts} author={author.name} />}
      </PictureSourceContext>
    </Bubble>
  );
};

interface MessageRowProps {
  readonly row: ThreadRow;
  readonly isHighlighted: boolean;
  /** Of the last message that the customer has seen: when. */
  readonly seenTime: string | undefined;
}

/** A row of the thread. */
export const MessageRow = memo(({ row, isHighlighted, seenTime }: MessageRowProps) => {
  const { authorOf } = useThreadContext();
  const shown = "message" in row ? row.message : row.pending;
  return (
    <>
      <Separators separators={row.separators} time={shown.created_time} />
      <article className={styles.article} tabIndex={-1} data-key={row.key} data-highlighted={isHighlighted}>
        {"message" in row ? (
          <ConfirmedMessage message={row.message} isFirst={row.isFirstOfGroup} />
        ) : (
          <Bubble
            author={authorOf(row.pending.message)}
            isPrivate={row.pending.message.message_type === "private"}
            isFirst={row.isFirstOfGroup}
            time={row.pending.created_time}
          >
            <Parts parts={row.pending.message.message_parts ?? []} author={authorOf(row.pending.message).name} />
            <PendingState pending={row.pending} />
          </Bubble>
        )}
        {seenTime !== undefined && <SeenLine time={seenTime} />}
      </article>
    </>
  );
});
MessageRow.displayName = "MessageRow";
