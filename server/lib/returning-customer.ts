import type { Associations } from "@parley/contract";
import type { KeyValueStore } from "@parley/framework/sdk";
import type { AccountClient } from "./account-client.ts";
import { findRecord, RECORD_TTL_SECONDS, putRecord } from "./records.ts";
import { normalizeName } from "./setting-lines.ts";

/** The customer's previous conversation. */
interface LastConversation {
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

const OFFER_SUFFIX = " again";

/** Whether a text may accept an offer. For other texts the records need not be read. */
export const mayAcceptOffer = (text: string): boolean => normalizeName(text).endsWith(OFFER_SUFFIX);

/** -> undefined when the previous conversation has no group to return to */
export const continuationOfferOf = ({ topic, group_id }: LastConversation): ContinuationOffer | undefined =>
  topic && group_id ? { label: `${topic}${OFFER_SUFFIX}`, group_id } : undefined;

/** Whether a customer's text accepts the offer. */
export const isOfferAccepted = (offer: ContinuationOffer | undefined, text: string): boolean =>
  offer !== undefined && normalizeName(offer.label) === normalizeName(text);

/** The conversation before this conversation. @param ids newest first, as the account lists them */
export const previousConversationId = (ids: readonly string[], conversation_id: string): string | undefined =>
  ids[ids.indexOf(conversation_id) + 1];

const keyOf = (conversation_id: string): string => `last:${conversation_id}`;

export const saveOffer = (db: KeyValueStore, conversation_id: string, offer: ContinuationOffer): Promise<void> =>
  putRecord(db, keyOf(conversation_id), offer, RECORD_TTL_SECONDS);

export const findOffer = (db: KeyValueStore, conversation_id: string): Promise<ContinuationOffer | undefined> =>
  findRecord<ContinuationOffer>(db, keyOf(conversation_id));

/**
 * Reads the customer's previous conversation from the account.
 * @param channel of the present conversation, which is not read again
 * @errors PostponedError when the account can't be called now
 */
export const lastConversationOf = async (
  account: AccountClient,
  user_id: string,
  conversation_id: string,
  channel: NonNullable<Associations["channel"]>,
): Promise<LastConversation | undefined> => {
  const previous = previousConversationId(await account.conversationsOf(user_id), conversation_id);
  if (previous === undefined) return undefined;
  const reply = await account.conversation(previous);
  if (!reply.ok) return undefined;
  const { channel_id, assigned_group_id: group_id } = reply.body;
  const topic =
    channel_id === channel.id ? channel.name : (await account.channels()).find(({ id }) => id === channel_id)?.name;
  return { ...(topic && { topic }), ...(group_id && { group_id }) };
};
