import { CONVERSATION_NOT_FOUND, conversations, refuse } from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";
import { rawJson, slice } from "../http/slice.ts";
import type { changing } from "./changing.ts";
import { conversationOf } from "./conversation.ts";
import type { creating } from "./creating.ts";
import type { Find } from "./finding.ts";

export interface ConversationDeps {
  readonly directory: Directory;
  readonly find: Find;
  readonly create: ReturnType<typeof creating>;
  readonly change: ReturnType<typeof changing>;
}

export const conversationSlice = ({ directory, find, create, change }: ConversationDeps) =>
  slice(conversations, {
    async createConversation({ body, caller, claim }) {
      return rawJson(await create(caller.account, body, claim));
    },
    async getConversation({ params, caller }) {
      const found = (await find(caller.account.id, params.conversation_id)) ?? refuse(CONVERSATION_NOT_FOUND);
      return conversationOf(directory, caller.account, found);
    },
    async updateConversation({ params, body, caller }) {
      const changed = await change(caller.account, params.conversation_id, body);
      return conversationOf(directory, caller.account, changed);
    },
  });
