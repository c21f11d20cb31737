import { CONVERSATION_NOT_FOUND, conversations, refuse } from "@parley/contract";
import type { Directory } from "../directory/directory.ts";
import { rawJson, defineRoutes } from "../../http/route-handlers.ts";
import type { createChangeConversation } from "./change.ts";
import { toApiConversation } from "./conversation.ts";
import type { createCreateConversation } from "./create.ts";
import type { FindConversation } from "./find.ts";

interface ConversationDeps {
  readonly directory: Directory;
  readonly find: FindConversation;
  readonly create: ReturnType<typeof createCreateConversation>;
  readonly change: ReturnType<typeof createChangeConversation>;
}

export const conversationRoutes = ({ directory, find, create, change }: ConversationDeps) =>
  defineRoutes(conversations, {
    async createConversation({ body, caller, claim }) {
      return rawJson(await create(caller, body, claim));
    },
    async getConversation({ params, caller }) {
      const found = (await find(caller.account.id, params.conversation_id)) ?? refuse(CONVERSATION_NOT_FOUND);
      return toApiConversation(directory, caller.account, found);
    },
    async updateConversation({ params, body, caller }) {
      const changed = await change(caller, params.conversation_id, body);
      return toApiConversation(directory, caller.account, changed);
    },
  });
