import type { Associations } from "@parley/contract";
import type { KeyValueStore } from "@parley/framework/sdk";
import type { AccountClient } from "./account.ts";
import { findRecord, KNOWN_SECONDS, putRecord } from "./records.ts";
import { alike } from "./setting-lines.ts";

/** What is known of the conversation that a customer had before. */
export interface LastConversation {
  /** Name of its topic, undefined when that is gone. */
  readonly topic?: string;
  /** Id of the group that it was with. */
  readonly group_id?: string;
}

/** What leads back to the group of the last conversation: an offer of the greeting's. */
export interface ContinuationOffer {
  /** What the customer reads and says. */
  readonly label: string;
  readonly group_id: string;
}

const ENDING = " again";

/** Whether words may take an offer up: others need no look at the records. */
export const mayBeAgain = (words: string): boolean => alike(words).endsWith(ENDING);

/** -> undefined where the last conversation leads nowhere */
export const offerOf = ({ topic, group_id }: LastConversation): ContinuationOffer | undefined =>
  topic && group_id ? { label: `${topic}${ENDING}`, group_id } : undefined;

/** Tells whether a customer's words take the offer up. */
export const isOfferAccepted = (offer: ContinuationOffer | undefined, words: string): boolean =>
  offer !== undefined && alike(offer.label) === alike(words);

/** The conversation before this one. @param ids the newest first, as the account lists them */
export const previousOf = (ids: readonly string[], conversation_id: string): string | undefined =>
  ids[ids.indexOf(conversation_id) + 1];

const keyOf = (conversation_id: string): string => `last:${conversation_id}`;

export const keepOffer = (db: KeyValueStore, conversation_id: string, offer: ContinuationOffer): Promise<void> =>
  putRecord(db, keyOf(conversation_id), offer, KNOWN_SECONDS);

export const offerAt = (db: KeyValueStore, conversation_id: string): Promise<ContinuationOffer | undefined> =>
  findRecord<ContinuationOffer>(db, keyOf(conversation_id));

/**
 * Asks the account for the conversation that a customer had before.
 * @param channel of the conversation now: what it tells isn't asked for
 * @errors PutOff when the account can't be asked now
 */
export const lastOf = async (
  account: AccountClient,
  user_id: string,
  conversation_id: string,
  channel: NonNullable<Associations["channel"]>,
): Promise<LastConversation | undefined> => {
  const previous = previousOf(await account.conversationsOf(user_id), conversation_id);
  if (previous === undefined) return undefined;
  const reply = await account.conversation(previous);
  if (!reply.ok) return undefined;
  const { channel_id, assigned_group_id: group_id } = reply.body;
  const topic =
    channel_id === channel.id ? channel.name : (await account.channels()).find(({ id }) => id === channel_id)?.name;
  return { ...(topic && { topic }), ...(group_id && { group_id }) };
};
