/** @jsxImportSource preact */
import type { MessagePart, MessengerActor, MessengerMessage } from "@parley/contract";
import type { ComponentChildren } from "preact";
import { authorOf, type Author } from "../elements/author.ts";
import { Avatar } from "../elements/avatar.tsx";
import { useDisplay } from "../elements/display.ts";
import type { Answer } from "../parts/choices.tsx";
import { Parts } from "../parts/parts.tsx";
import { OutgoingContent, OutgoingState } from "./outgoing.tsx";
import { Quotation } from "./quotation.tsx";
import { isSystem, type ThreadRow } from "./rows.ts";

const BUSINESS: MessengerActor = { type: "bot" };
const VISITOR: MessengerActor = { type: "user" };

const actorOf = (row: ThreadRow): MessengerActor => {
  if (row.kind === "message") return row.message.actor;
  return row.kind === "welcome" ? BUSINESS : VISITOR;
};

/** Parts that fill their bubble. */
const isMedia = (part: MessagePart): boolean => part.image !== undefined || part.video !== undefined;

interface BubbleProps {
  readonly parts: readonly MessagePart[];
  readonly author: string;
  readonly answer?: Answer;
}

const Bubble = ({ parts, author, answer }: BubbleProps) => (
  <div class={parts.every(isMedia) ? "bubble mediaBubble" : "bubble"}>
    <Parts parts={parts} author={author} answer={answer} />
  </div>
);

interface MessageRowProps {
  readonly row: ThreadRow;
  /** `Seen` or `Sent`, below the visitor's last message. */
  readonly state: string | undefined;
  /** The message that this one answers, if it is in the thread. */
  readonly quoted: MessengerMessage | undefined;
  readonly onShow: (messageId: string) => void;
  readonly answer: (messageId: string) => Answer;
  readonly isAnswerable: boolean;
  readonly onRetry: (outgoingId: string) => void;
  readonly onDiscard: (outgoingId: string) => void;
}

type ContentProps = MessageRowProps & { readonly author: Author };

const Content = ({ row, author, answer, isAnswerable, onRetry, onDiscard }: ContentProps) => {
  if (row.kind === "welcome") return <Bubble parts={row.parts} author={author.name} />;
  if (row.kind === "outgoing")
    return (
      <>
        <OutgoingContent outgoing={row.outgoing}>
          <Bubble parts={row.outgoing.message_parts} author={author.name} />
        </OutgoingContent>
        <OutgoingState outgoing={row.outgoing} onRetry={onRetry} onDiscard={onDiscard} />
      </>
    );
  const { id, message_parts, reply_parts } = row.message;
  const reply = isAnswerable && !row.isAnswered && !author.isVisitor ? answer(id) : undefined;
  return (
    <>
      {message_parts.length > 0 && <Bubble parts={message_parts} author={author.name} answer={reply} />}
      {reply_parts && (
        <div class="replies">
          <Parts parts={reply_parts} author={author.name} answer={reply} />
        </div>
      )}
    </>
  );
};

const SystemRow = ({ children }: { readonly children: ComponentChildren }) => <div class="systemRow">{children}</div>;

/** A message with its author and its time, and the separators before it. */
export const MessageRow = (props: MessageRowProps) => {
  const { row, state, quoted, onShow } = props;
  const display = useDisplay();
  const { texts, format } = display;
  const author = authorOf(actorOf(row), display);
  const time = row.time === undefined ? undefined : format.timeOfDay(row.time);
  const isFromSystem = row.kind === "message" && isSystem(row.message);
  return (
    <div class="row" data-key={row.key}>
      {row.isDayStart && row.time !== undefined && <h2 class="separator">{format.day(row.time)}</h2>}
      {row.isNewStart && <h2 class="separator newSeparator">{texts.newMessages}</h2>}
      {isFromSystem && row.kind === "message" ? (
        <SystemRow>
          <Parts parts={row.message.message_parts} author={author.name} />
        </SystemRow>
      ) : (
        <article
          class={`message ${author.isVisitor ? "ownMessage" : ""} ${row.isGroupStart ? "groupStart" : ""}`}
          tabIndex={-1}
          aria-label={time === undefined ? author.name : `${author.name}, ${time}`}
        >
          {!author.isVisitor && row.isGroupStart && <Avatar name={author.name} url={author.pictureUrl} />}
          <div class="content">
            {!author.isVisitor && row.isGroupStart && <bdi class="author">{author.name}</bdi>}
            {quoted && <Quotation message={quoted} onShow={onShow} />}
            <Content {...props} author={author} />
            {(row.isGroupEnd || state !== undefined) && row.kind === "message" && (
              <div class="detail">
                <time dateTime={row.time}>{time}</time>
                {state !== undefined && <span> · {state}</span>}
              </div>
            )}
          </div>
        </article>
      )}
    </div>
  );
};
