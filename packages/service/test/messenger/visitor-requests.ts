import {
  messengerConversations as rows,
  type MessengerConversation,
  type MessengerMessage,
  type NewMessage,
} from "@parley/contract";
import { textMessage, type ConversationHarness, type TestVisitor } from "./conversation-harness.ts";

interface MessagePage {
  readonly messages: readonly MessengerMessage[];
  readonly has_older: boolean;
  readonly has_newer: boolean;
}

/** Headers of a request with an idempotency key. */
export const keyed = (key: string) => ({ "idempotency-key": key });

/** The first text of each message. */
export const textsOf = (messages: readonly MessengerMessage[]) =>
  messages.map(({ message_parts }) => message_parts[0]?.text?.content);

/** Requests of visitors about their conversations, and what agents do in them over the API. */
export const visitorRequests = (harness: () => ConversationHarness) => {
  const send = (visitor: TestVisitor, conversation_id: string, body: object = textMessage("More"), headers = {}) =>
    harness().ask<MessengerMessage>(visitor, rows.sendMessengerMessage, { params: { conversation_id }, body, headers });
  const read = async (visitor: TestVisitor, conversation_id: string, query = {}) =>
    harness().ask<MessagePage>(visitor, rows.listMessengerMessages, { params: { conversation_id }, query });
  const list = async (visitor: TestVisitor): Promise<readonly MessengerConversation[]> =>
    (await harness().ask<{ conversations: MessengerConversation[] }>(visitor, rows.listMessengerConversations)).body
      .conversations;
  const rate = (visitor: TestVisitor, conversation_id: string, body: object, headers = {}) =>
    harness().ask<MessengerConversation>(visitor, rows.rateMessengerConversation, {
      params: { conversation_id },
      body,
      headers,
    });
  const begin = (visitor: TestVisitor, body: object, headers = {}) =>
    harness().ask<{ conversation: MessengerConversation; messages: MessengerMessage[] }>(
      visitor,
      rows.beginMessengerConversation,
      { body, headers },
    );
  const api = (conversation_id: string, body: NewMessage) =>
    harness().client.messages.createMessage({ params: { conversation_id }, body });
  const byAgent = (content: string, more: Partial<NewMessage> = {}): NewMessage => ({
    actor_type: "agent",
    actor_id: harness().diego.id,
    ...textMessage(content),
    ...more,
  });
  const resolve = (conversation_id: string) =>
    harness().client.conversations.updateConversation({ params: { conversation_id }, body: { status: "resolved" } });
  const topic = (index = 0): string => harness().channels[index]?.id ?? "";
  /** A visitor that an agent has blocked, with a conversation. */
  const blockedVisitor = async () => {
    const visitor = await harness().visitor("Blocked");
    const { conversation } = await harness().begin(visitor);
    await harness().block(visitor);
    return { visitor, id: conversation.id };
  };

  return { send, read, list, rate, begin, api, byAgent, resolve, topic, blockedVisitor };
};
