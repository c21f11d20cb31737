import { gather } from "@parley/database";
import { isUuid } from "../http/uuid.ts";
import type { ConversationQuery, ConversationStore, FoundConversation } from "./store.ts";

/** Finds a conversation of an account, and of it the message that `replyTo` names. -> undefined for an unknown id. */
export type Find = (accountId: number, id: string, replyTo?: string) => Promise<FoundConversation | undefined>;

/** Looks conversations up, those of many requests in one statement. */
export const finding = (store: Pick<ConversationStore, "find">): Find => {
  const ask = gather<ConversationQuery, FoundConversation | { readonly id: null }>({ run: store.find });
  return async (accountId, id, replyTo) => {
    if (!isUuid(id)) return undefined;
    const found = await ask({ id, replyTo: replyTo !== undefined && isUuid(replyTo) ? replyTo : undefined });
    return found.id !== null && found.account_id === accountId ? found : undefined;
  };
};
