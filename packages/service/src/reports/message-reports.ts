import { MESSAGES, type MessageRow } from "./conversation-rows.sql.ts";
import {
  eventReport,
  MESSAGE_SLICE,
  type ReportCell,
  type ReportColumn,
  type NamedAgent,
  type ReportStretch,
} from "./columns.ts";
import type { Message } from "@parley/contract";

/** A row with its message as an object. */
interface Sent extends Omit<MessageRow, "body"> {
  readonly message: Message;
}

const sentOf = ({ body, ...row }: MessageRow): Sent => ({ ...row, message: JSON.parse(body) as Message });

/** A column with a value of the message. */
const shows = (name: string, value: (message: Message) => ReportCell): ReportColumn<Sent> => ({
  name,
  value: ({ message }) => value(message),
});

/** The writer of a message: an agent, or the user of the conversation. Bots and the system have no name. */
const writer = (row: Sent, { names }: ReportStretch): NamedAgent | Sent | undefined => {
  const { actor_type, actor_id } = row.message;
  if (actor_type === "agent") return names.agent(actor_id ?? null);
  return actor_type === "user" ? row : undefined;
};

const actorColumns: readonly ReportColumn<Sent>[] = [
  shows("actor_id", ({ actor_id }) => actor_id),
  shows("actor_type", ({ actor_type }) => actor_type),
  { name: "actor_email", pii: true, value: (row, stretch) => writer(row, stretch)?.email },
  { name: "actor_first_name", pii: true, value: (row, stretch) => writer(row, stretch)?.first_name },
  { name: "actor_last_name", pii: true, value: (row, stretch) => writer(row, stretch)?.last_name },
];

const placeColumns: readonly ReportColumn<Sent>[] = [
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
 * The kinds of a message's parts, such as `text` or `text+image`.
 * @assumed A detailed message type lists the kinds of the parts in their order, each kind once.
 */
const kindsOf = ({ message_parts, reply_parts = [] }: Message): string =>
  [...new Set([...message_parts, ...reply_parts].flatMap((part) => Object.keys(part)))].join("+");

/** The texts of a message, one per line. */
const textsOf = ({ message_parts }: Message): string =>
  message_parts.flatMap(({ text }) => text?.content ?? []).join("\n");

/** All messages with their content. */
export const chatTranscript = eventReport<Sent>({
  span: "day",
  step: "sixHours",
  slice: MESSAGE_SLICE,
  rows: MESSAGES,
  read: sentOf,
  columns: [
    ...placeColumns,
    ...actorColumns,
    shows("message_type", ({ message_type }) => message_type),
    shows("detailed_message_type", kindsOf),
    shows("message_source", ({ message_source }) => message_source),
    { name: "message_parts", pii: true, value: ({ message }) => JSON.stringify(message.message_parts) },
    { name: "message", pii: true, value: ({ message }) => textsOf(message) },
    shows("created_time", ({ created_time }) => created_time),
  ],
});

/** All messages without their content. @assumed Messages of users, agents, bots and the system all count as sent. */
export const messageSent = eventReport<Sent>({
  span: "month",
  step: "day",
  slice: MESSAGE_SLICE,
  rows: MESSAGES,
  read: sentOf,
  columns: [
    ...placeColumns,
    shows("interaction_id", ({ interaction_id }) => interaction_id),
    ...actorColumns,
    shows("message_type", ({ message_type }) => message_type),
    shows("detailed_message_type", kindsOf),
    shows("message_source", ({ message_source }) => message_source),
    shows("created_at", ({ created_time }) => created_time),
  ],
});
