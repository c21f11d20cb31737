import type { ActorType, MessengerConversation, MessengerMessage } from "@parley/contract";

interface MessageOptions {
  readonly id: string;
  /** Of the time of the message. */
  readonly second?: number;
  readonly actor?: ActorType;
  readonly text?: string;
  readonly conversationId?: string;
}

const timeOf = (second: number): string => new Date(Date.UTC(2030, 0, 1) + second * 1_000).toISOString();

export const messageBuilder = (options: MessageOptions): MessengerMessage => {
  const { id, second = 0, actor = "agent", text = id, conversationId = "c1" } = options;
  return {
    id,
    conversation_id: conversationId,
    created_time: timeOf(second),
    actor: { type: actor },
    message_type: "normal",
    message_parts: [{ text: { content: text } }],
  };
};

export const conversationBuilder = (changes: Partial<MessengerConversation> = {}): MessengerConversation => ({
  id: "c1",
  topic_id: "t1",
  status: "new",
  is_latest: true,
  created_time: timeOf(0),
  unread_count: 0,
  interaction_id: "i1",
  is_rated: false,
  ...changes,
});
