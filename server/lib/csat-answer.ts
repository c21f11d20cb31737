import type { Message } from "@parley/contract";
import type { KeyValueStore } from "@parley/framework/sdk";
import { markOf, wordsOf } from "./bot-message.ts";
import { ratingIn } from "./rating.ts";
import { find } from "./records.ts";

/** The mark of the question how it went. */
export const QUESTION = "csat";

/** The question how it went that a conversation was asked last, and what became of it. */
export interface Asked {
  readonly interaction_id: string;
  /** ISO 8601: when the conversation was resolved. */
  readonly asked: string;
  /** Who had the conversation when it was resolved. */
  readonly agent?: string;
  /** Id of the customer's message that answers, and what was decided about it. */
  readonly answer?: string;
  readonly rating?: number;
  readonly isLow?: boolean;
  /** The account has taken the rating. */
  readonly isRated?: boolean;
}

export const questionKey = (conversation_id: string): string => `csat:${conversation_id}`;

/** Whether an interaction's customer was asked, or need not be. */
export const askedKey = (interaction_id: string): string => `asked:${interaction_id}`;
/** What stands there of an interaction that a click on points began, and that was ended at once. */
export const CLICK = { done: true, isClick: true } as const;

/** Whether an interaction was nothing but a click on points: its end is news to nobody. */
export const isClick = async (db: KeyValueStore, interaction_id: string): Promise<boolean> =>
  (await find<Partial<typeof CLICK>>(db, askedKey(interaction_id)))?.isClick === true;

type Said = Pick<Message, "id" | "actor_type" | "message_type" | "message_parts" | "interaction_id"> &
  Partial<Pick<Message, "in_reply_to" | "meta_data">>;

/** Whether a person said it to the other side. */
const isWord = ({ actor_type, message_type }: Said): boolean =>
  message_type === "normal" && (actor_type === "user" || actor_type === "agent");

const pointsOf = (message: Said): number | undefined => {
  const words = message.message_type === "normal" ? wordsOf(message) : undefined;
  return words === undefined ? undefined : ratingIn(words);
};

/** Whether an interaction that was resolved is still where its conversation is, its customer wrote in it, and nobody has asked. */
export const isToAsk = (latest: readonly Said[], interaction_id: string): boolean => {
  const said = latest.filter((message) => message.interaction_id === interaction_id);
  return (
    latest[0] === said[0] &&
    said.some((message) => isWord(message) && message.actor_type === "user") &&
    !said.some((message) => markOf(message) === QUESTION)
  );
};

/**
 * The customer's answer to the question: the words that come next, or any that are said in reply to it, when they are points. Between
 * people who have gone on talking a "5" is something else.
 * @param latest the newest first
 */
export function answerIn(
  latest: readonly Said[],
  interaction_id: string,
): { readonly id: string; readonly rating: number } | undefined {
  const at = latest.findIndex((one) => markOf(one) === QUESTION && one.interaction_id === interaction_id);
  const question = latest[at];
  if (!question) return undefined;
  let isNext = true;
  for (const message of latest.slice(0, at).reverse()) {
    if (!isWord(message)) continue;
    const { in_reply_to } = message;
    const rating = pointsOf(message);
    const isMeant = in_reply_to ? in_reply_to.message_id === question.id : isNext;
    if (isMeant && rating !== undefined) return { id: message.id, rating };
    isNext = false;
  }
  return undefined;
}

/** Whether people have said something after that message. */
export const isOvertaken = (latest: readonly Said[], id: string): boolean =>
  latest
    .slice(
      0,
      latest.findIndex((one) => one.id === id),
    )
    .some(isWord);

/** Whether a customer's message answers the question as far as that is known; `asked` is what `questionKey` holds. */
export const isAnswer = (
  asked: Pick<Asked, "asked" | "answer"> | undefined,
  message: Said & Pick<Message, "created_time">,
): boolean => {
  if (!asked || pointsOf(message) === undefined) return false;
  return asked.answer === undefined
    ? Date.parse(message.created_time) >= Date.parse(asked.asked)
    : asked.answer === message.id;
};

/** Whether a customer's message is points for how it went, and nothing else to anybody. It asks the records only where it might be. */
export const isRatingAnswer = async (
  db: Pick<KeyValueStore, "get">,
  message: Said & Pick<Message, "conversation_id" | "created_time">,
): Promise<boolean> =>
  pointsOf(message) !== undefined &&
  isAnswer(await find<Asked>(db as KeyValueStore, questionKey(message.conversation_id)), message);
