import type { Message } from "@parley/contract";

/** @units minutes after the beginning of a day of this device */
export const at = (minutes: number): string => new Date(2026, 2, 10, 0, minutes).toISOString();

/** Message `number` of the customer, written in the minute of the same number. */
export const messageOf = (number: number, fields: Partial<Message> = {}): Message => ({
  id: `m${number}`,
  created_time: at(number),
  app_id: "app",
  channel_id: "topic",
  conversation_id: "c1",
  interaction_id: "1-1",
  freshchat_conversation_id: "1",
  freshchat_channel_id: "1",
  actor_type: "user",
  actor_id: "customer",
  message_type: "normal",
  message_parts: [{ text: { content: `Text ${number}` } }],
  ...fields,
});

export const agentMessage = (number: number, fields: Partial<Message> = {}): Message =>
  messageOf(number, { actor_type: "agent", actor_id: "agent", ...fields });

/** Messages from one number to another number. */
export const messagesOf = (first: number, last: number): Message[] =>
  Array.from({ length: last - first + 1 }, (_, index) => messageOf(first + index));
