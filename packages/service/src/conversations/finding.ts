import { gather } from "@parley/database";
import { isUuid } from "../http/uuid.ts";
import type { ConversationQuery, ConversationStore, FoundConversation } from "./store.ts";

/** Finds a conversation of an account, and of it the message that `replyTo` names. -> undefined for an unknown id. */
export type Find = (accountId: number, id: string, replyTo?: string) => Promise<FoundConversation | undefined>;

/** A conversation's number is its name too: the two can't be mistaken for each other. */
const NUMBER = /^[0-9]{1,15}$/;

/** The id of what a path or a parameter names: an id itself, unseen, or the number of a conversation of the account. -> undefined for neither */
export type FindId = (accountId: number, text: string) => Promise<string | undefined>;

/** @assumed A path takes `freshchat_conversation_id` in place of `conversation_id`, as the field does. */
export const findingIds =
  ({ idOfNumber }: Pick<ConversationStore, "idOfNumber">): FindId =>
  async (accountId, text) => {
    if (isUuid(text)) return text.toLowerCase();
    return NUMBER.test(text) ? idOfNumber(accountId, Number(text)) : undefined;
  };

/** Looks conversations up, those of many requests in one statement. */
export const finding = (store: Pick<ConversationStore, "find">, findId: FindId): Find => {
  const ask = gather<ConversationQuery, FoundConversation | { readonly id: null }>({ run: store.find });
  return async (accountId, text, replyTo) => {
    const id = await findId(accountId, text);
    if (id === undefined) return undefined;
    const found = await ask({ id, replyTo: replyTo !== undefined && isUuid(replyTo) ? replyTo : undefined });
    return found.id !== null && found.account_id === accountId ? found : undefined;
  };
};
