import type { Message } from "@parley/contract";
import type { KeyValueStore } from "@parley/framework/sdk";
import { messageMarkOf, messageText } from "./bot-message.ts";
import { findRecord } from "./records.ts";

/** The buttons of the rating question, best first. Digits are readable in every language. */
export const RATING_POINTS = ["5", "4", "3", "2", "1"] as const;

const NUMBER_WORDS: Readonly<Record<string, number>> = { one: 1, two: 2, three: 3, four: 4, five: 5 };
const NUMBER = String.raw`(?<number>[1-5]|one|two|three|four|five)`;
const UNIT = "(?: (?:stars?|points?))?";
const SCALE = "(?: ?/ ?5| (?:out )?of (?:5|five)(?: (?:stars|points))?)?";
const JUDGEMENT = "(?:very )?(?:good|poor|bad)|great|excellent|perfect|ok|okay";
const THANKS = "thanks|thank you|thx";
const NUMERIC_ANSWER = new RegExp(`^${NUMBER}${UNIT}${SCALE}(?: (?:${JUDGEMENT}))?(?: (?:${THANKS}))?$`);

/** Full stars followed by empty stars. */
const STAR_ANSWER = /^([★⭐🌟]{1,5})(☆*)$/u;
/** Characters that turn a digit or a star into a picture. */
const EMOJI_MODIFIERS = /[\uFE0F\u20E3]/gu;
const PUNCTUATION = /[\s.,;:!()–—-]+/gu;

/**
 * Reads a customer's words as 1 to 5 points: "5", "4 stars", "three out of 5", "★★★★☆", "5 – very good, thanks!".
 * -> undefined when they say more or something else, so that a person must read them
 */
export function parseRating(text: string): number | undefined {
  const normalized = text.replace(EMOJI_MODIFIERS, "").normalize("NFKC").toLowerCase();
  const [, full, empty = ""] = STAR_ANSWER.exec(normalized.replace(/\s/g, "")) ?? [];
  if (full !== undefined) {
    const points = [...full].length;
    return empty === "" || points + empty.length === RATING_POINTS.length ? points : undefined;
  }
  const number = NUMERIC_ANSWER.exec(normalized.replace(PUNCTUATION, " ").trim())?.groups?.["number"];
  return number === undefined ? undefined : (NUMBER_WORDS[number] ?? Number(number));
}

/** The mark of the rating question. */
export const CSAT_QUESTION_MARK = "csat";

/** The last rating question of a conversation and its outcome. */
export interface RatingQuestion {
  readonly interaction_id: string;
  /** When the conversation was resolved. ISO 8601. */
  readonly asked: string;
  /** The agent who was assigned when the conversation was resolved. */
  readonly agent?: string;
  /** Id of the customer's message that answers, and the decision about it. */
  readonly answer?: string;
  readonly rating?: number;
  readonly isLow?: boolean;
  /** The account has accepted the rating. */
  readonly isRated?: boolean;
}

export const questionKey = (conversation_id: string): string => `csat:${conversation_id}`;

/** Key of the record whether an interaction's customer was asked, or need not be asked. */
export const interactionKey = (interaction_id: string): string => `asked:${interaction_id}`;
/** The record of an interaction that a click on points started and that was resolved at once. */
export const RATING_CLICK_RECORD = { done: true, isClick: true } as const;

/** Whether an interaction consists of a click on points only. Its resolution is not reported. */
export const isRatingClick = async (db: KeyValueStore, interaction_id: string): Promise<boolean> =>
  (await findRecord<Partial<typeof RATING_CLICK_RECORD>>(db, interactionKey(interaction_id)))?.isClick === true;

type RatingMessage = Pick<Message, "id" | "actor_type" | "message_type" | "message_parts" | "interaction_id"> &
  Partial<Pick<Message, "in_reply_to" | "meta_data">>;

/** Whether a person sent the message to the other side. */
const isPersonMessage = ({ actor_type, message_type }: RatingMessage): boolean =>
  message_type === "normal" && (actor_type === "user" || actor_type === "agent");

const pointsOf = (message: RatingMessage): number | undefined => {
  const text = message.message_type === "normal" ? messageText(message) : undefined;
  return text === undefined ? undefined : parseRating(text);
};

/** Whether a resolved interaction is still the conversation's current interaction, its customer wrote in it, and it was not asked about yet. */
export const shouldAskForRating = (latest: readonly RatingMessage[], interaction_id: string): boolean => {
  const messages = latest.filter((message) => message.interaction_id === interaction_id);
  return (
    latest[0] === messages[0] &&
    messages.some((message) => isPersonMessage(message) && message.actor_type === "user") &&
    !messages.some((message) => messageMarkOf(message) === CSAT_QUESTION_MARK)
  );
};

/**
 * The customer's answer to the question: the next message, or any reply to the question, if it contains points. While people continue to
 * talk, a "5" means something else.
 * @param latest newest first
 */
export function findRatingAnswer(
  latest: readonly RatingMessage[],
  interaction_id: string,
): { readonly id: string; readonly rating: number } | undefined {
  const at = latest.findIndex(
    (one) => messageMarkOf(one) === CSAT_QUESTION_MARK && one.interaction_id === interaction_id,
  );
  const question = latest[at];
  if (!question) return undefined;
  let isNext = true;
  for (const message of latest.slice(0, at).reverse()) {
    if (!isPersonMessage(message)) continue;
    const { in_reply_to } = message;
    const rating = pointsOf(message);
    const isAddressed = in_reply_to ? in_reply_to.message_id === question.id : isNext;
    if (isAddressed && rating !== undefined) return { id: message.id, rating };
    isNext = false;
  }
  return undefined;
}

/** Whether people have written after that message. */
export const hasLaterMessages = (latest: readonly RatingMessage[], id: string): boolean =>
  latest
    .slice(
      0,
      latest.findIndex((one) => one.id === id),
    )
    .some(isPersonMessage);

/** Whether a customer's message answers the question, as far as the records show; `asked` is the record at `askedKey`. */
export const isAnswerTo = (
  asked: Pick<RatingQuestion, "asked" | "answer"> | undefined,
  message: RatingMessage & Pick<Message, "created_time">,
): boolean => {
  if (!asked || pointsOf(message) === undefined) return false;
  return asked.answer === undefined
    ? Date.parse(message.created_time) >= Date.parse(asked.asked)
    : asked.answer === message.id;
};

/** Whether a customer's message contains points and nothing else. Reads the records only when that is possible. */
export const isRatingAnswer = async (
  db: Pick<KeyValueStore, "get">,
  message: RatingMessage & Pick<Message, "conversation_id" | "created_time">,
): Promise<boolean> =>
  pointsOf(message) !== undefined &&
  isAnswerTo(await findRecord<RatingQuestion>(db as KeyValueStore, questionKey(message.conversation_id)), message);
