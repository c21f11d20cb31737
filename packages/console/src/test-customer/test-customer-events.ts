import type { TestCustomerConversation } from "@parley/contract";
import type { LiveItem } from "../live/live-messages.ts";

/** Whether an item changes what the customer of a conversation sees. A private note does not. */
export const concernsConversation = (item: LiveItem, conversationId: string): boolean => {
  if (item.event === "conversation_update") return item.data.data.conversation?.conversation_id === conversationId;
  if (item.event !== "message_create") return false;
  const { message: conversation } = item.data.data;
  const isPrivate = conversation?.messages?.at(-1)?.message_type === "private";
  return conversation?.conversation_id === conversationId && !isPrivate;
};

/** Whether a bot ended the conversation so that the customer can't answer. */
export const isRestricted = ({ messages }: Pick<TestCustomerConversation, "messages">): boolean =>
  messages.findLast(({ message_type }) => message_type === "normal")?.restrictResponse === true;
