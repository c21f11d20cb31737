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

const changeOf = (said: SeedConversation, known: SeededPeople, place: string): ConversationChange => {
  const { status, assigned_agent, assigned_group, properties } = said;
  return {
    ...(status !== undefined && { status }),
    ...(assigned_group !== undefined && { assigned_group_id: known.group(assigned_group, `${place}.assigned_group`) }),
    ...(assigned_agent !== undefined && { assigned_agent_id: known.agent(assigned_agent, `${place}.assigned_agent`) }),
    ...(properties !== undefined && { properties }),
  };
};

const messageOf = (said: SeedMessage, user: string, known: SeededPeople, place: string): NewMessage => {
  const { actor_type = "user", agent, text, message_parts, reply_parts, message_type } = said;
  const actor = agent === undefined ? user : known.agent(agent, `${place}.agent`);
  return {
    actor_type,
    ...((actor_type === "user" || actor_type === "agent") && { actor_id: actor }),
    message_parts: message_parts ?? [{ text: { content: text ?? "" } }],
    ...(reply_parts && { reply_parts }),
    ...(message_type && { message_type }),
  };
};

/** Creates the conversations of a document, each message at its time. */
export async function seedConversation({
  client,
  document,
  plan,
  when,
  at,
  known,
}: SeedDeps & { readonly known: SeededPeople }) {
  const { conversations = [] } = document;
  const resolved: ResolvedConversation[] = [];
  for (const [index, said] of conversations.entries()) {
    const place = `conversations[${index}]`;
    resolved.push({
      user: await known.user(said.user, `${place}.user`),
      channel: known.channel(said.channel, `${place}.channel`),
      change: changeOf(said, known, place),
    });
  }

  const sendMessage = async (one: ResolvedConversation, said: SeedMessage, place: string): Promise<void> => {
    const body = messageOf(said, one.user, known, place);
    if (one.id !== undefined)
      return void (await client.messages.createMessage({ params: { conversation_id: one.id }, body }));
    const { channel: channel_id, user } = one;
    const made = await client.conversations.createConversation({
      body: { channel_id, users: [{ id: user }], messages: [body] },
    });
    one.id = made.conversation_id;
  };
  const applyChange = async ({ id = "", change }: ResolvedConversation): Promise<void> => {
    if (Object.keys(change).length === 0) return;
    await client.conversations.updateConversation({ params: { conversation_id: id }, body: change });
  };

  for (const { conversation, message, time } of plan.steps) {
    const one = resolved[conversation];
    const said = conversations[conversation]?.messages[message ?? 0];
    if (!one || !said) continue;
    when(time);
    const place = `conversations[${conversation}]`;
    const messagePlace = `${place}.messages[${message}]`;
    if (message === undefined) await at(place, () => applyChange(one));
    else await at(messagePlace, () => sendMessage(one, said, messagePlace));
  }
}
