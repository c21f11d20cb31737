import type { Message, MessagePart, NewMessage } from "@parley/contract";
import type { ParleyClient } from "@parley/client";
import { CommandFailure } from "../environment/failure.ts";

/** A quick reply that the customer can choose. `text` is the message that is sent. */
export interface ChatChoice {
  readonly label: string;
  readonly text: string;
  readonly messageId: string;
}

const partsIn = (part: MessagePart): readonly MessagePart[] => [
  part,
  ...(part.collection?.sub_parts ?? []).flatMap(partsIn),
  ...(part.template_content?.sections ?? []).flatMap(({ parts }) => parts.flatMap(partsIn)),
];

/** The buttons of a message, in order. Buttons of cards (callbacks) are answered with their label. */
export const choicesOf = (message: Message): ChatChoice[] =>
  (message.reply_parts ?? []).flatMap(partsIn).flatMap(({ quick_reply_button: button, callback }) => {
    if (button) return [{ label: button.label, text: button.custom_reply_text ?? button.label, messageId: message.id }];
    return callback ? [{ label: callback.label, text: callback.label, messageId: message.id }] : [];
  });

/** A customer of the service: one new user with one conversation. */
export interface ChatCustomer {
  send(text: string, answers?: ChatChoice): Promise<void>;
  /** -> messages of others that a customer may see and that arrived since the last call, oldest first */
  replies(): Promise<Message[]>;
}

async function channelId(client: ParleyClient, nameOrId: string | undefined): Promise<string> {
  const { channels } = await client.channels.listChannels({ query: { items_per_page: 100 } });
  const open = channels.filter((channel) => channel.enabled && channel.public);
  const found = nameOrId
    ? channels.find(({ id, name }) => id === nameOrId || name.toLowerCase() === nameOrId.toLowerCase())
    : open[0];
  if (found) return found.id;
  const names = open.map(({ name }) => name).join(", ") || "none";
  throw new CommandFailure(
    nameOrId
      ? `There is no channel '${nameOrId}'. Choose one of: ${names}.`
      : "The account has no enabled public channel.",
  );
}

/** The user and the conversation are created with the first message, so that opening the prompt leaves no user behind. */
export function createChatCustomer(
  client: ParleyClient,
  options: { name: string; channel?: string | undefined },
): ChatCustomer {
  let current: { conversation_id: string; user_id: string } | undefined;
  const seen = new Set<string>();

  const begin = async (message: Omit<NewMessage, "actor_type">) => {
    const channel_id = await channelId(client, options.channel);
    const user = await client.users.createUser({ body: { first_name: options.name } });
    const { conversation_id } = await client.conversations.createConversation({
      body: { channel_id, users: [{ id: user.id }], messages: [{ ...message, actor_type: "user", actor_id: user.id }] },
    });
    current = { conversation_id, user_id: user.id };
  };

  return {
    async send(text, answers) {
      const message = { message_parts: [{ text: { content: text } }] };
      if (!current) return begin(message);
      await client.messages.createMessage({
        params: { conversation_id: current.conversation_id },
        body: {
          ...message,
          actor_type: "user",
          actor_id: current.user_id,
          ...(answers ? { in_reply_to: { message_id: answers.messageId } } : {}),
        },
      });
    },
    async replies() {
      if (!current) return [];
      const { messages } = await client.messages.listMessages({
        params: { conversation_id: current.conversation_id },
        query: { items_per_page: 50 },
      });
      const unseen = messages.filter(({ id }) => !seen.has(id)).reverse();
      for (const { id } of unseen) seen.add(id);
      return unseen.filter(({ actor_type, message_type }) => actor_type !== "user" && message_type === "normal");
    },
  };
}
