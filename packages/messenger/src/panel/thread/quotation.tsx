/** @jsxImportSource preact */
import type { MessengerMessage } from "@parley/contract";
import { authorOf } from "../elements/author.ts";
import { useDisplay } from "../elements/display.ts";
import { readableText } from "../parts/readable-text.ts";

const QUOTED_CHARACTERS_MAX = 160;

interface QuotationProps {
  /** The message that is answered. */
  readonly message: MessengerMessage;
  /** Shows a message of the thread. */
  readonly onShow: (messageId: string) => void;
}

/** The message that is answered, in one line above the answer. A press shows the whole message. */
export const Quotation = ({ message, onShow }: QuotationProps) => {
  const display = useDisplay();
  const { texts } = display;
  const author = authorOf(message.actor, display).name;
  // A message without parts of its own has its text among the choices.
  const parts = message.message_parts.length > 0 ? message.message_parts : (message.reply_parts ?? []);
  const text = readableText(parts, texts).slice(0, QUOTED_CHARACTERS_MAX);
  return (
    <button type="button" class="quotation" onClick={() => onShow(message.id)}>
      <span class="quotedAuthor">{texts.answerTo(author)}</span>
      <bdi class="quotedText">{text}</bdi>
    </button>
  );
};
