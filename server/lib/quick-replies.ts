import type { NewMessage, Message } from "@parley/contract";
import { messageMarkOf, messageText } from "./bot-message.ts";
import type { MenuStyle } from "./settings.ts";
import { normalizeName } from "./setting-lines.ts";

/** Buttons that send their label. */
export const quickReplies = (labels: readonly string[]): NewMessage["reply_parts"] => [
  { collection: { sub_parts: labels.map((label) => ({ quick_reply_button: { label, payload: label } })) } },
];

type Parts = NonNullable<NewMessage["reply_parts"]>;
type Template = NonNullable<Parts[number]["template_content"]>;

export const CARDS_TITLE = "Please choose:";
/** Picture of a card without a picture of its own, since a card requires a picture: a single colour. */
const PLACEHOLDER_PICTURE =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAJCAMAAAAM9FwAAAAAA1BMVEUvb2usbvO/AAAADElEQVR42mNgGKQAAACZAAF6xvHnAAAAAElFTkSuQmCC";

const section = (name: string, parts: Parts): Template["sections"][number] => ({ name, parts });
const textPart = (content: string): Parts => [{ text: { content } }];

const dropdown = (labels: readonly string[]): Template => ({
  type: "quick_reply_dropdown",
  sections: [
    section(
      "options",
      labels.map((label) => ({ quick_reply_button: { label, payload: label } })),
    ),
  ],
});

const card = (label: string, picture: string): Template => ({
  type: "carousel_card_default",
  sections: [
    section("hero_image", [{ image: { url: picture } }]),
    section("title", textPart(label)),
    section("callback", [{ callback: { label, payload: label } }]),
  ],
});

const carousel = (labels: readonly string[], picture: string): Template => ({
  type: "carousel",
  sections: [
    section("carousel_title", textPart(CARDS_TITLE)),
    section(
      "cards",
      labels.map((label) => ({ template_content: card(label, picture) })),
    ),
  ],
});

/**
 * The menu in the form that the admin chose. Every form sends the label of the choice.
 * @param picture URL of the picture on the cards
 * @returns undefined when there are no choices
 * @spec Resources and their fields > Message part object
 */
export const menuParts = (
  style: MenuStyle,
  labels: readonly string[],
  picture = PLACEHOLDER_PICTURE,
): NewMessage["reply_parts"] => {
  if (labels.length === 0) return undefined;
  if (style === "Buttons") return quickReplies(labels);
  return [{ template_content: style === "List" ? dropdown(labels) : carousel(labels, picture) }];
};

/** The labels that a message offers, in every form. */
export const labelsOf = (parts: NewMessage["reply_parts"]): string[] =>
  (parts ?? []).flatMap(({ collection, template_content, quick_reply_button, callback }) => [
    ...(quick_reply_button ? [quick_reply_button.label] : []),
    ...(callback ? [callback.label] : []),
    ...labelsOf(collection?.sub_parts),
    ...labelsOf(template_content?.sections.flatMap((one) => one.parts)),
  ]);

/** Mark of the message that contains the menu. */
export const GREETING_MARK = "greeting";

type AnsweringMessage = Pick<Message, "id" | "created_time" | "in_reply_to">;

/**
 * Returns the messages before and after a message. If it is older than all of them, all are later.
 * @param messages of the conversation, newest first
 */
const splitAt = (messages: readonly Message[], { id }: AnsweringMessage) => {
  const at = messages.findIndex((one) => one.id === id);
  return at < 0 ? { earlier: [], later: messages } : { earlier: messages.slice(at + 1), later: messages.slice(0, at) };
};

const offers = ({ reply_parts }: Message, text: string): boolean =>
  labelsOf(reply_parts).some((label) => normalizeName(label) === normalizeName(text));

/**
 * Returns the mark of the question that a customer's text answers: of the questions that offer this text, the one to which the message
 * replies, otherwise the latest before it.
 * @param messages of the conversation, newest first
 * @returns undefined if no question offers the text; "" if the question is not Concierge's
 */
export const questionMarkOf = (
  messages: readonly Message[],
  message: AnsweringMessage,
  text: string,
): string | undefined => {
  const questions = splitAt(messages, message).earlier.filter((one) => offers(one, text));
  const question = questions.find(({ id }) => id === message.in_reply_to?.message_id) ?? questions[0];
  return question && (messageMarkOf(question) ?? "");
};

/** Whether a customer has sent a matching text later. @param messages of the conversation, newest first */
export const isSentLater = (
  messages: readonly Message[],
  message: AnsweringMessage,
  matches: (text: string) => boolean,
): boolean =>
  splitAt(messages, message).later.some((one) => {
    const text = messageText(one);
    return text !== undefined && matches(text);
  });
