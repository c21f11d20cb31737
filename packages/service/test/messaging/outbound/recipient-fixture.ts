import type { Message } from "@parley/contract";
import type { ServiceHarness } from "../../service-harness.ts";
import { templateParams, outboundRequest, sendOutbound, untilStatuses } from "./outbound-fixture.ts";

export const textsOf = (messages: readonly Message[]) =>
  messages.map(({ message_parts }) => message_parts.map(({ text }) => text?.content ?? "").join("|"));
export const greetingText = (word: string) => `Hi Ada, it is ${word}.`;
export const userMessage = (actor_id: string, content: string) => ({
  actor_type: "user" as const,
  actor_id,
  message_parts: [{ text: { content } }],
});

/** Recipients of outbound messages, who reply as users of the service. */
export const recipientFixture = (service: () => ServiceHarness) => {
  let last = 10;
  let channel: string | undefined;
  const channelId = async () =>
    (channel ??= (await service().client.channels.listChannels({ query: {} })).channels[0]?.id ?? "");
  /** Oldest first. */
  const messagesOf = async (conversation_id: string): Promise<Message[]> => {
    const input = { params: { conversation_id }, query: { items_per_page: 50 } };
    return (await service().client.messages.listMessages(input)).messages.toReversed();
  };
  return {
    channelOf: channelId,
    list: messagesOf,
    messageTexts: async (conversation_id: string) => textsOf(await messagesOf(conversation_id)),
    /** A new phone number. */
    newPhoneNumber: () => `+120255501${++last}`,
    createUser: async (phone: string) =>
      (await service().client.users.createUser({ body: { first_name: "Ada", phone } })).id,
    createConversation: async (id: string, content = "hello", at = service()) =>
      at.client.conversations.createConversation({
        body: { channel_id: await channelId(), users: [{ id }], messages: [userMessage(id, content)] },
      }),
    createMessage: (conversation_id: string, id: string, content: string, at = service()) =>
      at.client.messages.createMessage({ params: { conversation_id }, body: userMessage(id, content) }),
    /** Sends the greeting. -> id of the request */
    sendGreeting: async (phone: string, word = "late", storage: "conversation" | "none" = "conversation") => {
      const rich_template_data = { body: { params: templateParams("Ada", word) } };
      const { request_id } = await sendOutbound(service(), outboundRequest({ storage, rich_template_data }, [phone]));
      await untilStatuses(service(), request_id, "Delivered");
      return request_id;
    },
  };
};
