import type { Message } from "@parley/contract";
import { markOf, wordsOf } from "./bot-message.ts";
import { alike } from "./lines.ts";
import { labelsOf } from "./menu-parts.ts";

/** Marks the message that offers the menu. */
export const GREETING = "greeting";

type Said = Pick<Message, "id" | "created_time" | "in_reply_to">;

const offers = ({ reply_parts }: Message, words: string): boolean =>
  labelsOf(reply_parts).some((label) => alike(label) === alike(words));

/**
 * The mark of the question that a customer's words answer: of the one that the message names, or else of the latest before it that offers
 * these words. @param messages of the conversation, the newest first
 * @returns undefined where no question of Concierge's own is known to offer them
 */
export const questionOf = (messages: readonly Message[], said: Said, words: string): string | undefined => {
  const named = messages.find(({ id }) => id === said.in_reply_to?.message_id);
  const question =
    named ?? messages.find((one) => one.id !== said.id && one.created_time <= said.created_time && offers(one, words));
  return question && markOf(question);
};

/** Tells whether a customer has said one of these words later. */
export const isSaidLater = (messages: readonly Message[], said: Said, isOne: (words: string) => boolean): boolean =>
  messages.some((one) => {
    const words = one.created_time > said.created_time ? wordsOf(one) : undefined;
    return words !== undefined && isOne(words);
  });
