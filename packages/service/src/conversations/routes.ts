import { CONVERSATION_NOT_FOUND, conversations, Conversation, refuse } from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";
import { serializerOf } from "../http/serializer.ts";
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

const conversationText = serializerOf(Conversation);

export const conversationSlice = ({ directory, find, create, change }: ConversationDeps) =>
  slice(conversations, {
    async createConversation({ body, caller }) {
      const { conversation, texts } = await create(caller.account, body);
      const text = conversationText(await conversationOf(directory, caller.account, conversation));
      return rawJson(`${text.slice(0, -1)},"messages":[${texts.join(",")}]}`);
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
