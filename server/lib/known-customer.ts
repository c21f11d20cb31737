import { alike } from "./lines.ts";

/** What is known of the conversation that a customer had before. */
export interface Last {
  /** Name of its topic, undefined when that is gone. */
  readonly topic?: string;
  /** Id of the group that it was with. */
  readonly group_id?: string;
}

/** What leads back to the group of the last conversation: an offer of the greeting's. */
export interface Offer {
  /** What the customer reads and says. */
  readonly label: string;
  readonly group_id: string;
}

const ENDING = " again";

/** Whether words may take an offer up: others need no look at the records. */
export const mayBeAgain = (words: string): boolean => alike(words).endsWith(ENDING);

/** -> undefined where the last conversation leads nowhere */
export const offerOf = ({ topic, group_id }: Last): Offer | undefined =>
  topic && group_id ? { label: `${topic}${ENDING}`, group_id } : undefined;

/** Tells whether a customer's words take the offer up. */
export const isTaken = (offer: Offer | undefined, words: string): boolean =>
  offer !== undefined && alike(offer.label) === alike(words);

/** The conversation before this one. @param ids the newest first, as the account lists them */
export const previousOf = (ids: readonly string[], conversation_id: string): string | undefined =>
  ids[ids.indexOf(conversation_id) + 1];
