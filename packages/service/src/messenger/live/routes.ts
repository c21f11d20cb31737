import {
  CONVERSATION_NOT_FOUND,
  MESSAGE_NOT_FOUND,
  messengerLive,
  refuse,
  type Message,
  type MessengerConversation,
} from "@parley/contract";
import type { Events } from "../../events/module.ts";
import type { LoggedMessengerItem, VisitorView } from "../../events/stream/visitor-streams.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { FindConversationId } from "../../messaging/conversations/find.ts";
import type { VisitorPageStore } from "../../messaging/visitor-pages/store.ts";
import type { MessengerShapes } from "../shapes/message.ts";
import { sessionVisitor } from "../visitors/session-visitor.ts";

interface LiveRoutesDeps {
  readonly events: Pick<Events, "visitorStreams" | "customers">;
  readonly shapes: MessengerShapes;
  /** -> the conversation as it is now; undefined for an unknown id */
  readonly conversation: (accountId: number, conversationId: string) => Promise<MessengerConversation | undefined>;
  readonly findId: FindConversationId;
  readonly pages: Pick<VisitorPageStore, "put">;
  readonly now: () => Date;
}

/** What visitors see of an event: new messages, and the conversation unless only a message was added. */
const createItemsOf =
  ({ shapes, conversation }: Pick<LiveRoutesDeps, "shapes" | "conversation">): VisitorView["itemsOf"] =>
  async ({ kind, account_id: accountId, id, messages }) => {
    const items: LoggedMessengerItem[] = [];
    const present = kind === "message_create" ? undefined : await conversation(accountId, id);
    if (present) items.push({ event: "conversation", data: { conversation: present } });
    const added = JSON.parse(`[${messages ?? ""}]`) as Message[];
    for (const message of await shapes.messages(accountId, added)) items.push({ event: "message", data: { message } });
    return items;
  };

/** The stream of a visitor, and what the visitor reports. */
export const messengerLiveRoutes = ({ events, shapes, conversation, findId, pages, now }: LiveRoutesDeps) => {
  const stream = events.visitorStreams({
    itemsOf: createItemsOf({ shapes, conversation }),
    actorOf: (accountId, agentId) => shapes.agent(accountId, agentId),
  });
  return defineRoutes(messengerLive, {
    streamMessenger: ({ caller, request }) =>
      stream({ accountId: caller.account.id, credentialId: caller.credentialId, ...sessionVisitor(caller), request }),

    async reportVisitorActivity({ caller, params, body: { is_typing, read_message_id, page } }) {
      const { userId, isBlocked } = sessionVisitor(caller);
      const accountId = caller.account.id;
      const conversationId = (await findId(accountId, params.conversation_id)) ?? refuse(CONVERSATION_NOT_FOUND);
      const place = { accountId, conversationId, userId };
      if (read_message_id !== undefined) {
        const isFound = isUuid(read_message_id) && (await events.customers.reportRead(place, read_message_id));
        if (!isFound) refuse(MESSAGE_NOT_FOUND);
      }
      if (page && !isBlocked && (await pages.put(place, page, now()))) events.customers.reportPage(place);
      // Agents have blocked the visitor: it reads without being noticed.
      if (is_typing !== undefined && !isBlocked) events.customers.reportTyping(place, is_typing);
    },
  });
};
