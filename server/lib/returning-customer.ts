import type { Associations } from "@parley/contract";
import type { KeyValueStore } from "@parley/framework/sdk";
import type { AccountClient } from "./account-client.ts";
import { findRecord, KNOWN_SECONDS, putRecord } from "./records.ts";
import { alike } from "./setting-lines.ts";

/** The customer's previous conversation. */
export interface LastConversation {
  /** Name of its topic; undefined when the topic was removed. */
  readonly topic?: string;
  /** Id of its group. */
  readonly group_id?: string;
}

/** An offer of the greeting: to continue with the group of the previous conversation. */
export interface ContinuationOffer {
  /** The text that the customer reads and sends. */
  readonly label: string;
  readonly group_id: string;
}

const ENDING = " again";

/** Whether a text may accept an offer. For other texts the records need not be read. */
export const mayBeAgain = (words: string): boolean => alike(words).endsWith(ENDING);

/** -> undefined when the previous conversation has no group to return to */
export const offerOf = ({ topic, group_id }: LastConversation): ContinuationOffer | undefined =>
  topic && group_id ? { label: `${topic}${ENDING}`, group_id } : undefined;

/** Whether a customer's text accepts the offer. */
export const isOfferAccepted = (offer: ContinuationOffer | undefined, words: string): boolean =>
  offer !== undefined && alike(offer.label) === alike(words);

/** The conversation before this one. @param ids newest first, as the account lists them */
export const previousOf = (ids: readonly string[], conversation_id: string): string | undefined =>
  ids[ids.indexOf(conversation_id) + 1];

const keyOf = (conversation_id: string): string => `last:${conversation_id}`;

export const keepOffer = (db: KeyValueStore, conversation_id: string, offer: ContinuationOffer): Promise<void> =>
  putRecord(db, keyOf(conversation_id), offer, KNOWN_SECONDS);

export const offerAt = (db: KeyValueStore, conversation_id: string): Promise<ContinuationOffer | undefined> =>
  findRecord<ContinuationOffer>(db, keyOf(conversation_id));

/**
 * Reads the customer's previous conversation from the account.
 * @param channel of the present conversation, which is not read again
 * @errors Postponed when the account can't be called now
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
