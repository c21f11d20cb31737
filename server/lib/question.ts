import type { Message } from "@parley/contract";
import { messageMarkOf, messageText } from "./bot-message.ts";
import { alike } from "./setting-lines.ts";
import { labelsOf } from "./menu-parts.ts";

/** Mark of the message that contains the menu. */
export const GREETING = "greeting";

type Said = Pick<Message, "id" | "created_time" | "in_reply_to">;

/**
 * Returns the messages before and after one. If it is older than all of them, all are later.
 * @param messages of the conversation, newest first
 */
const around = (messages: readonly Message[], { id }: Said) => {
  const at = messages.findIndex((one) => one.id === id);
  return at < 0 ? { earlier: [], later: messages } : { earlier: messages.slice(at + 1), later: messages.slice(0, at) };
};

const offers = ({ reply_parts }: Message, words: string): boolean =>
  labelsOf(reply_parts).some((label) => alike(label) === alike(words));

/**
 * Returns the mark of the question that a customer's text answers: of the questions that offer this text, the one to which the message
 * replies, otherwise the latest before it.
 * @param messages of the conversation, newest first
 * @returns undefined if no question offers the text; "" if the question is not Concierge's
 */
export const questionOf = (messages: readonly Message[], said: Said, words: string): string | undefined => {
  const questions = around(messages, said).earlier.filter((one) => offers(one, words));
  const question = questions.find(({ id }) => id === said.in_reply_to?.message_id) ?? questions[0];
  return question && (messageMarkOf(question) ?? "");
};

/** Whether a customer has sent a matching text later. @param messages of the conversation, newest first */
export const isSaidLater = (messages: readonly Message[], said: Said, isOne: (words: string) => boolean): boolean =>
  around(messages, said).later.some((one) => {
    const words = messageText(one);
    return words !== undefined && isOne(words);
  });
