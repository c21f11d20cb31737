import type { Associations } from "@parley/contract";
import type { KeyValueStore } from "@parley/framework/sdk";
import type { Account } from "./account.ts";
import { previousOf, type Last, type Offer } from "./known-customer.ts";
import { find, KNOWN_SECONDS, put } from "./records.ts";

const keyOf = (conversation_id: string): string => `last:${conversation_id}`;

export const keepOffer = (db: KeyValueStore, conversation_id: string, offer: Offer): Promise<void> =>
  put(db, keyOf(conversation_id), offer, KNOWN_SECONDS);

export const offerAt = (db: KeyValueStore, conversation_id: string): Promise<Offer | undefined> =>
  find<Offer>(db, keyOf(conversation_id));

/**
 * Asks the account for the conversation that a customer had before.
 * @param channel of the conversation now: what it tells isn't asked for
 * @errors PutOff when the account can't be asked now
 */
export const lastOf = async (
  account: Account,
  user_id: string,
  conversation_id: string,
  channel: NonNullable<Associations["channel"]>,
): Promise<Last | undefined> => {
  const previous = previousOf(await account.conversationsOf(user_id), conversation_id);
  if (previous === undefined) return undefined;
  const reply = await account.conversation(previous);
  if (!reply.ok) return undefined;
  const { channel_id, assigned_group_id: group_id } = reply.body;
  const topic =
    channel_id === channel.id ? channel.name : (await account.channels()).find(({ id }) => id === channel_id)?.name;
  return { ...(topic && { topic }), ...(group_id && { group_id }) };
};
