import type { Message } from "@parley/contract";
import { messageMarkOf, messageText } from "./bot-message.ts";
import { alike } from "./setting-lines.ts";
import { labelsOf } from "./menu-parts.ts";

/** Marks the message that offers the menu. */
export const GREETING = "greeting";

type Said = Pick<Message, "id" | "created_time" | "in_reply_to">;

/**
 * The messages before and after one. Where it is too old to be among them, all are later.
 * @param messages of the conversation, the newest first
 */
const around = (messages: readonly Message[], { id }: Said) => {
  const at = messages.findIndex((one) => one.id === id);
  return at < 0 ? { earlier: [], later: messages } : { earlier: messages.slice(at + 1), later: messages.slice(0, at) };
};

const offers = ({ reply_parts }: Message, words: string): boolean =>
  labelsOf(reply_parts).some((label) => alike(label) === alike(words));

/**
 * The mark of the question that a customer's words answer: of those that offer these words the one that the message names, or else the
 * latest before it.
 * @param messages of the conversation, the newest first
 * @returns undefined where none offers them, "" where it is none of Concierge's own
 */
export const questionOf = (messages: readonly Message[], said: Said, words: string): string | undefined => {
  const questions = around(messages, said).earlier.filter((one) => offers(one, words));
  const question = questions.find(({ id }) => id === said.in_reply_to?.message_id) ?? questions[0];
  return question && (messageMarkOf(question) ?? "");
};

/** Tells whether a customer has said one of these words later. @param messages of the conversation, the newest first */
export const isSaidLater = (messages: readonly Message[], said: Said, isOne: (words: string) => boolean): boolean =>
  around(messages, said).later.some((one) => {
    const words = messageText(one);
    return words !== undefined && isOne(words);
  });
