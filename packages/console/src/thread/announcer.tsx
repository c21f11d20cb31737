import type { Message } from "@parley/contract";
import { threadMessages as texts } from "./messages.ts";
import { messagePreview } from "./parts/preview.ts";
import { isSystemMessage } from "./rows.ts";
import type { Author } from "./thread-context.ts";

const PREVIEW_CHARACTERS = 300;

interface AnnouncerProps {
  readonly messages: readonly Message[];
  readonly authorOf: (message: Message) => Author;
}

/** Reads messages that arrive to screen readers. The list itself is not announced: it changes while it is scrolled. */
export const Announcer = ({ messages, authorOf }: AnnouncerProps) => (
  <div role="log" aria-live="polite" aria-label={texts.newMessages} className="visually-hidden">
    {messages
      .filter((message) => !isSystemMessage(message))
      .map((message) => (
        <p key={message.id}>
          {message.message_type === "private" && `${texts.privateNote}. `}
          {texts.newFrom(authorOf(message).name, messagePreview(message.message_parts, PREVIEW_CHARACTERS))}
        </p>
      ))}
  </div>
);
