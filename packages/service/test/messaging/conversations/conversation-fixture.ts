import type { ParleyClient } from "@parley/client";

/** The service that is called. */
interface ServiceClient {
  readonly client: ParleyClient;
}

/** A user of acme with a conversation. */
export interface ConversationFixture {
  readonly userId: string;
  readonly conversationId: string;
  readonly sendMessage: (text: string) => Promise<void>;
}

/** Returns the first public channel of acme. */
export const firstChannelId = async ({ client }: ServiceClient): Promise<string> => {
  const { channels } = await client.channels.listChannels({ query: {} });
  return channels[0]?.id ?? "";
};

/** Creates a conversation with one message, `first`. */
export async function conversationFixture(
  { client }: ServiceClient,
  channel_id: string,
  first = "first",
): Promise<ConversationFixture> {
  const user = await client.users.createUser({ body: { first_name: "Ana" } });
  const part = (content: string) => [{ text: { content } }];
  const { conversation_id } = await client.conversations.createConversation({
    body: {
      channel_id,
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: part(first) }],
    },
  });
  return {
    userId: user.id,
    conversationId: conversation_id,
    sendMessage: async (text) => {
      await client.messages.createMessage({
        params: { conversation_id },
        body: { actor_type: "user", actor_id: user.id, message_parts: part(text) },
      });
    },
  };
}
