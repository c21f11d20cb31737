import type { ParleyClient } from "@parley/client";
import type { Message } from "@parley/contract";
import { waitUntil } from "../support/wait-until.ts";

export const greetings = (messages: readonly Message[]) => messages.filter(({ actor_type }) => actor_type === "bot");

/** Creates a user and a conversation with one message in a public topic. Returns their ids. */
export async function createConversation(
  client: ParleyClient,
  text = "Hi",
): Promise<{ conversation: string; user: string }> {
  const { channels } = await client.channels.listChannels({ query: { items_per_page: 100 } });
  const channel = channels.find((one) => one.enabled && one.public);
  const user = await client.users.createUser({ body: { first_name: "Ada" } });
  const { conversation_id } = await client.conversations.createConversation({
    body: {
      channel_id: channel?.id ?? "",
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: text } }] }],
    },
  });
  return { conversation: conversation_id, user: user.id };
}

export const messagesOf = async (client: ParleyClient, conversation_id: string) =>
  (await client.messages.listMessages({ params: { conversation_id }, query: {} })).messages;

/**
 * Waits for the first greeting. -> whether it arrived. The app postpones a greeting by a minute when this computer is so busy that the API answers
 * too slowly.
 */
export const isGreeted = (client: ParleyClient, conversation: string, timeoutMs = 100_000): Promise<boolean> =>
  waitUntil(async () => greetings(await messagesOf(client, conversation)).length > 0, { timeoutMs }).then(
    () => true,
    () => false,
  );
