import type { ConversationChange, NewMessage, SeedConversation, SeedMessage } from "@parley/contract";
import type { SeededPeople, SeedDeps } from "./people.ts";

/** A conversation of the document with its names resolved. */
interface ResolvedConversation {
  readonly user: string;
  readonly channel: string;
  readonly change: ConversationChange;
  /** Set once the conversation is created. */
  id?: string;
}

const changeOf = (conversation: SeedConversation, people: SeededPeople, path: string): ConversationChange => {
  const { status, assigned_agent, assigned_group, properties } = conversation;
  return {
    ...(status !== undefined && { status }),
    ...(assigned_group !== undefined && { assigned_group_id: people.group(assigned_group, `${path}.assigned_group`) }),
    ...(assigned_agent !== undefined && { assigned_agent_id: people.agent(assigned_agent, `${path}.assigned_agent`) }),
    ...(properties !== undefined && { properties }),
  };
};

const messageOf = (message: SeedMessage, user: string, people: SeededPeople, path: string): NewMessage => {
  const { actor_type = "user", agent, text, message_parts, reply_parts, message_type } = message;
  const actor = agent === undefined ? user : people.agent(agent, `${path}.agent`);
  return {
    actor_type,
    ...((actor_type === "user" || actor_type === "agent") && { actor_id: actor }),
    message_parts: message_parts ?? [{ text: { content: text ?? "" } }],
    ...(reply_parts && { reply_parts }),
    ...(message_type && { message_type }),
  };
};

/** Creates the conversations of a document, each message at its time. */
export async function seedConversations({
  client,
  document,
  plan,
  setTime,
  withPath,
  people,
}: SeedDeps & { readonly people: SeededPeople }) {
  const { conversations = [] } = document;
  const resolved: ResolvedConversation[] = [];
  for (const [index, conversation] of conversations.entries()) {
    const path = `conversations[${index}]`;
    resolved.push({
      user: await people.user(conversation.user, `${path}.user`),
      channel: people.channel(conversation.channel, `${path}.channel`),
      change: changeOf(conversation, people, path),
    });
  }

  const sendMessage = async (conversation: ResolvedConversation, message: SeedMessage, path: string): Promise<void> => {
    const body = messageOf(message, conversation.user, people, path);
    if (conversation.id !== undefined)
      return void (await client.messages.createMessage({ params: { conversation_id: conversation.id }, body }));
    const { channel: channel_id, user } = conversation;
    const created = await client.conversations.createConversation({
      body: { channel_id, users: [{ id: user }], messages: [body] },
    });
    conversation.id = created.conversation_id;
  };
  const applyChange = async ({ id = "", change }: ResolvedConversation): Promise<void> => {
    if (Object.keys(change).length === 0) return;
    await client.conversations.updateConversation({ params: { conversation_id: id }, body: change });
  };

  for (const { conversation: index, message: messageIndex, time } of plan.steps) {
    const conversation = resolved[index];
    const message = conversations[index]?.messages[messageIndex ?? 0];
    if (!conversation || !message) continue;
    setTime(time);
    const path = `conversations[${index}]`;
    const messagePath = `${path}.messages[${messageIndex}]`;
    if (messageIndex === undefined) await withPath(path, () => applyChange(conversation));
    else await withPath(messagePath, () => sendMessage(conversation, message, messagePath));
  }
}
