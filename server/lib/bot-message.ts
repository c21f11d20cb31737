import type { Message, NewMessage } from "@parley/contract";
import type { Settings } from "./settings.ts";

/** A message of the bot to the customer. `mark` distinguishes it from the bot's other messages: see `messageMarkOf`. */
export const botMessage = (
  { botName }: Pick<Settings, "botName">,
  mark: string,
  text: string,
  reply_parts?: NewMessage["reply_parts"],
): NewMessage => ({
  actor_type: "bot",
  message_type: "normal",
  message_parts: [{ text: { content: text } }],
  ...(reply_parts && reply_parts.length > 0 && { reply_parts }),
  meta_data: { bot_name: botName, concierge: mark },
});

/** A note that is visible to agents and not to the customer. */
export const privateNote = (settings: Pick<Settings, "botName">, mark: string, text: string): NewMessage => ({
  ...botMessage(settings, mark, text),
  message_type: "private",
});

/** -> the mark of a message of Concierge; undefined for any other message */
export const messageMarkOf = ({
  actor_type,
  meta_data,
}: Pick<Message, "actor_type" | "meta_data">): string | undefined => {
  const mark = actor_type === "bot" ? meta_data?.["concierge"] : undefined;
  return typeof mark === "string" ? mark : undefined;
};

/** The text of a customer's message that consists of one text. A quick reply arrives as the text of its label. */
export const messageText = ({
  actor_type,
  message_parts,
}: Pick<Message, "actor_type" | "message_parts">): string | undefined => {
  const [text, ...more] = message_parts.flatMap((part) => (part.text ? [part.text.content] : []));
  return actor_type === "user" && more.length === 0 ? text : undefined;
};
