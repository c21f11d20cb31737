import { MESSAGES, type ReportedMessageRow } from "./conversation-rows.sql.ts";
import {
  eventReport,
  MESSAGE_SLICE_MS,
  type ReportCell,
  type ReportColumn,
  type NamedAgent,
  type ReportFileContext,
} from "./columns.ts";
import type { Message } from "@parley/contract";

/** A row with its message as an object. */
interface SentMessage extends Omit<ReportedMessageRow, "body"> {
  readonly message: Message;
}

const sentMessageOf = ({ body, ...row }: ReportedMessageRow): SentMessage => ({
  ...row,
  message: JSON.parse(body) as Message,
});

/** A column with a value of the message. */
const messageColumn = (name: string, value: (message: Message) => ReportCell): ReportColumn<SentMessage> => ({
  name,
  value: ({ message }) => value(message),
});

/** The writer of a message: an agent, or the user of the conversation. Bots and the system have no name. */
const writerOf = (row: SentMessage, { names }: ReportFileContext): NamedAgent | SentMessage | undefined => {
  const { actor_type, actor_id } = row.message;
  if (actor_type === "agent") return names.agent(actor_id ?? null);
  return actor_type === "user" ? row : undefined;
};

const actorColumns: readonly ReportColumn<SentMessage>[] = [
  messageColumn("actor_id", ({ actor_id }) => actor_id),
  messageColumn("actor_type", ({ actor_type }) => actor_type),
  { name: "actor_email", pii: true, value: (row, context) => writerOf(row, context)?.email },
  { name: "actor_first_name", pii: true, value: (row, context) => writerOf(row, context)?.first_name },
  { name: "actor_last_name", pii: true, value: (row, context) => writerOf(row, context)?.last_name },
];

const placeColumns: readonly ReportColumn<SentMessage>[] = [
  messageColumn("message_id", ({ id }) => id),
  messageColumn("conversation_id", ({ conversation_id }) => conversation_id),
  {
    name: "conversation_url",
    value: ({ message }, context) => context.conversationUrl(message.conversation_id),
  },
  messageColumn("channel_id", ({ channel_id }) => channel_id),
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
export const chatTranscript = eventReport<SentMessage>({
  span: "day",
  step: "sixHours",
  sliceMs: MESSAGE_SLICE_MS,
  rows: MESSAGES,
  read: sentMessageOf,
  columns: [
    ...placeColumns,
    ...actorColumns,
    messageColumn("message_type", ({ message_type }) => message_type),
    messageColumn("detailed_message_type", kindsOf),
    messageColumn("message_source", ({ message_source }) => message_source),
    { name: "message_parts", pii: true, value: ({ message }) => JSON.stringify(message.message_parts) },
    { name: "message", pii: true, value: ({ message }) => textsOf(message) },
    messageColumn("created_time", ({ created_time }) => created_time),
  ],
});

/** All messages without their content. @assumed Messages of users, agents, bots and the system all count as sent. */
export const messageSent = eventReport<SentMessage>({
  span: "month",
  step: "day",
  sliceMs: MESSAGE_SLICE_MS,
  rows: MESSAGES,
  read: sentMessageOf,
  columns: [
    ...placeColumns,
    messageColumn("interaction_id", ({ interaction_id }) => interaction_id),
    ...actorColumns,
    messageColumn("message_type", ({ message_type }) => message_type),
    messageColumn("detailed_message_type", kindsOf),
    messageColumn("message_source", ({ message_source }) => message_source),
    messageColumn("created_at", ({ created_time }) => created_time),
  ],
});
