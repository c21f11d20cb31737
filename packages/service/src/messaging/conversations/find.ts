import { gather } from "@parley/database";
import { isUuid } from "../../http/uuid.ts";
import type { ConversationQuery, ConversationStore, LoadedConversation } from "./store.ts";

/** Finds a conversation of an account and the message named by `replyTo`. -> undefined for an unknown id. */
export type FindConversation = (
  accountId: number,
  id: string,
  replyTo?: string,
) => Promise<LoadedConversation | undefined>;

/** Conversation numbers are accepted as ids. They cannot be confused with UUIDs. */
const NUMBER = /^[0-9]{1,15}$/;

/**
 * Resolves a path or query parameter to a conversation id: a UUID is returned without a lookup, a number is looked up in
 * the account. -> undefined otherwise
 */
export type FindConversationId = (accountId: number, text: string) => Promise<string | undefined>;

/** @assumed A path takes `freshchat_conversation_id` in place of `conversation_id`, as the field does. */
export const createFindConversationId =
  ({ idOfNumber }: Pick<ConversationStore, "idOfNumber">): FindConversationId =>
  async (accountId, text) => {
    if (isUuid(text)) return text.toLowerCase();
    return NUMBER.test(text) ? idOfNumber(accountId, Number(text)) : undefined;
  };

/** Looks up conversations; concurrent lookups share one statement. */
export const createFindConversation = (
  store: Pick<ConversationStore, "find">,
  findId: FindConversationId,
): FindConversation => {
  const findGathered = gather<ConversationQuery, LoadedConversation | { readonly id: null }>({
    name: "conversations",
    run: store.find,
  });
  return async (accountId, text, replyTo) => {
    const id = await findId(accountId, text);
    if (id === undefined) return undefined;
    const found = await findGathered({ id, replyTo: replyTo !== undefined && isUuid(replyTo) ? replyTo : undefined });
    return found.id !== null && found.account_id === accountId ? found : undefined;
  };
};
