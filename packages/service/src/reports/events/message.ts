import type { Message } from "@parley/contract";
import type { Cell, Column, NamedAgent, Stretch } from "../column.ts";
import type { MessageRow } from "../db/messages.ts";

/** A row with its message as an object. */
export interface Sent extends Omit<MessageRow, "body"> {
  readonly message: Message;
}

export const sentOf = ({ body, ...row }: MessageRow): Sent => ({ ...row, message: JSON.parse(body) as Message });

/** A column that shows a message. */
export const shows = (name: string, value: (message: Message) => Cell): Column<Sent> => ({
  name,
  value: ({ message }) => value(message),
});

/** Who wrote: an agent, or the user whom the conversation is with; bots and the service itself have no name. */
const writer = (row: Sent, { names }: Stretch): NamedAgent | Sent | undefined => {
  const { actor_type, actor_id } = row.message;
  if (actor_type === "agent") return names.agent(actor_id ?? null);
  return actor_type === "user" ? row : undefined;
};

export const actorColumns: readonly Column<Sent>[] = [
  shows("actor_id", ({ actor_id }) => actor_id),
  shows("actor_type", ({ actor_type }) => actor_type),
  { name: "actor_email", pii: true, value: (row, stretch) => writer(row, stretch)?.email },
  { name: "actor_first_name", pii: true, value: (row, stretch) => writer(row, stretch)?.first_name },
  { name: "actor_last_name", pii: true, value: (row, stretch) => writer(row, stretch)?.last_name },
];

export const placeColumns: readonly Column<Sent>[] = [
  shows("message_id", ({ id }) => id),
  shows("conversation_id", ({ conversation_id }) => conversation_id),
  {
    name: "conversation_url",
    value: ({ message }, stretch) => stretch.conversationUrl(message.conversation_id),
  },
  shows("channel_id", ({ channel_id }) => channel_id),
  { name: "channel_name", value: ({ message }, { names }) => names.channel(message.channel_id) },
  { name: "customer_id", value: ({ user_id }) => user_id },
];

/**
 * What a message is made of, such as `text` or `text+image`.
 * @assumed A detailed message type is the kinds of its parts in their order, each named once.
 */
export const kindsOf = ({ message_parts, reply_parts = [] }: Message): string =>
  [...new Set([...message_parts, ...reply_parts].flatMap((part) => Object.keys(part)))].join("+");

/** The texts of a message, one below the other. */
export const textsOf = ({ message_parts }: Message): string =>
  message_parts.flatMap(({ text }) => text?.content ?? []).join("\n");
