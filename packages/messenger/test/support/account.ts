import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ParleyClient } from "@parley/client";
import type { MessagePart, MessengerSetting, User } from "@parley/contract";
import { waitUntil } from "../../../../test/support/wait-until.ts";

/** Users of the demo account are older. */
const STARTED = new Date().toISOString();

/** Sets what an admin enters about the messenger of the demo account. @shape dataFolder: of the instance */
export const setMessenger = async (service: string, dataFolder: string, messenger: MessengerSetting): Promise<void> => {
  const key = (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();
  const response = await fetch(new URL("/admin/accounts/acme", service), {
    method: "PUT",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "acme", messenger }),
  });
  if (!response.ok) throw new Error(`PUT /admin/accounts/acme: ${response.status} ${await response.text()}`);
};

/** A conversation of a visitor. */
export interface VisitorConversation {
  readonly id: string;
  readonly user: User;
}

/** Waits for a message with the text. -> its conversation */
export const conversationOf = (client: ParleyClient, text: string): Promise<VisitorConversation> =>
  waitUntil(async () => {
    const { users } = await client.users.listUsers({ query: { created_from: STARTED, items_per_page: 100 } });
    for (const user of users) {
      const { conversations } = await client.users.listUserConversations({ params: { user_id: user.id } });
      for (const { id } of conversations) {
        const { messages } = await client.messages.listMessages({ params: { conversation_id: id }, query: {} });
        if (messages.some(({ message_parts }) => message_parts.some((part) => part.text?.content.includes(text))))
          return { id, user };
      }
    }
    return undefined;
  });

/** Waits for a message with the text. -> the user of its conversation */
export const writerOf = async (client: ParleyClient, text: string): Promise<User> =>
  (await conversationOf(client, text)).user;

/** Answers as an agent. */
export const answer = async (client: ParleyClient, conversationId: string, text: string): Promise<void> => {
  const { agents } = await client.agents.listAgents({ query: { items_per_page: 1 } });
  await client.messages.createMessage({
    params: { conversation_id: conversationId },
    body: { actor_type: "agent", actor_id: agents[0]?.id ?? "", message_parts: [{ text: { content: text } }] },
  });
};

/** What the business does in the conversations of visitors, over the API. */
export const businessOf = (client: ParleyClient) => ({
  /** -> the conversation of the visitor who has written a text */
  async conversationOf(text: string): Promise<string> {
    const { id: user_id } = await writerOf(client, text);
    const { conversations } = await client.users.listUserConversations({ params: { user_id } });
    return conversations[0]?.id ?? "";
  },
  /** A message of a bot with choices. */
  ask: (conversation_id: string, content: string, reply_parts: MessagePart[]) =>
    client.messages.createMessage({
      params: { conversation_id },
      body: { actor_type: "bot", message_parts: [{ text: { content } }], reply_parts },
    }),
  resolve: (conversation_id: string) =>
    client.conversations.updateConversation({ params: { conversation_id }, body: { status: "resolved" } }),
  /** The visitor's messages, the newest first. */
  sentIn: async (conversation_id: string) =>
    (await client.messages.listMessages({ params: { conversation_id }, query: {} })).messages.filter(
      ({ actor_type }) => actor_type === "user",
    ),
});
