import type { MessagePart, MessagePartKey } from "@parley/contract";
import { visibleName } from "@parley/contract/display";
import { partMessages as texts } from "./messages.ts";

const KINDS: Readonly<Record<Exclude<MessagePartKey, "text">, string>> = {
  image: texts.picture,
  video: texts.video,
  file: texts.file,
  collection: texts.collection,
  url_button: texts.button,
  quick_reply_button: texts.callback,
  template_content: texts.template,
  callback: texts.callback,
  help_text: texts.help,
  attachment_input: texts.attachmentInput,
  reference: texts.reference,
  text_input: texts.textInput,
};

const kindOf = (part: MessagePart): string => {
  const [key = ""] = Object.keys(part);
  return key in KINDS ? KINDS[key as keyof typeof KINDS] : texts.unknown(key);
};

/** -> a message in one line: its texts, else the kind of its first part */
export const messagePreview = (parts: readonly MessagePart[], characters: number): string => {
  const contents = parts.flatMap((part) => part.text?.content ?? []);
  const text = visibleName(contents.join(" ").slice(0, 4 * characters));
  if (text !== "") return text.length > characters ? `${text.slice(0, characters - 1)}…` : text;
  const [first] = parts;
  return first ? kindOf(first) : texts.empty;
};
