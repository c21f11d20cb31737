import type { ParleyClient } from "@parley/client";

/** The service that is called. */
interface Speaker {
  readonly client: ParleyClient;
}

/** A user of acme with a conversation. */
export interface Talk {
  readonly userId: string;
  readonly conversationId: string;
  readonly say: (text: string) => Promise<void>;
}

/** Returns the first public channel of acme. */
export const channelOf = async ({ client }: Speaker): Promise<string> => {
  const { channels } = await client.channels.listChannels({ query: {} });
  return channels[0]?.id ?? "";
};

/** Creates a conversation with one message, `first`. */
export async function talk({ client }: Speaker, channel_id: string, first = "first"): Promise<Talk> {
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
    say: async (text) => {
      await client.messages.createMessage({
        params: { conversation_id },
        body: { actor_type: "user", actor_id: user.id, message_parts: part(text) },
      });
    },
  };
}
