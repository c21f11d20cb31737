import type { Message } from "@parley/contract";
import type { World } from "../service-harness.ts";
import { params, request, send, settled } from "./outbound-fixture.ts";

export const textsOf = (messages: readonly Message[]) =>
  messages.map(({ message_parts }) => message_parts.map(({ text }) => text?.content ?? "").join("|"));
export const greeting = (word: string) => `Hi Ada, it is ${word}.`;
export const says = (actor_id: string, content: string) => ({
  actor_type: "user" as const,
  actor_id,
  message_parts: [{ text: { content } }],
});

/** Recipients who write messages. */
export const talk = (world: () => World) => {
  let last = 10;
  let channel: string | undefined;
  const channelOf = async () =>
    (channel ??= (await world().client.channels.listChannels({ query: {} })).channels[0]?.id ?? "");
  /** Oldest first. */
  const list = async (conversation_id: string): Promise<Message[]> => {
    const input = { params: { conversation_id }, query: { items_per_page: 50 } };
    return (await world().client.messages.listMessages(input)).messages.toReversed();
  };
  return {
    channelOf,
    list,
    texts: async (conversation_id: string) => textsOf(await list(conversation_id)),
    /** A new phone number. */
    number: () => `+120255501${++last}`,
    user: async (phone: string) => (await world().client.users.createUser({ body: { first_name: "Ada", phone } })).id,
    begin: async (id: string, content = "hello", at = world()) =>
      at.client.conversations.createConversation({
        body: { channel_id: await channelOf(), users: [{ id }], messages: [says(id, content)] },
      }),
    write: (conversation_id: string, id: string, content: string, at = world()) =>
      at.client.messages.createMessage({ params: { conversation_id }, body: says(id, content) }),
    /** Sends the greeting. -> id of the request */
    greet: async (phone: string, word = "late", storage: "conversation" | "none" = "conversation") => {
      const rich_template_data = { body: { params: params("Ada", word) } };
      const { request_id } = await send(world(), request({ storage, rich_template_data }, [phone]));
      await settled(world(), request_id, "Delivered");
      return request_id;
    },
  };
};
