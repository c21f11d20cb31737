import { styleText } from "node:util";
import type { Actor, EventInStream, Message, OutboundMessage } from "@parley/contract";
import type { StreamItem } from "@parley/client";
import { printable } from "../output/table.ts";

/** Width when the output is not a terminal. @units columns */
const DEFAULT_COLUMNS = 80;
const INDENT = "          ";

const truncate = (text: string): string => {
  const maxLength = Math.max(40, process.stdout.columns ?? DEFAULT_COLUMNS) - INDENT.length;
  const line = printable(text).replaceAll("\n", " ");
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
};

const nameOf = ({ type, sub_type, first_name, last_name }: Actor): string =>
  [first_name, last_name].filter(Boolean).join(" ") || (sub_type === undefined ? type : `${type} (${sub_type})`);

/** Text of a message; the names of parts that have no text. */
const messageText = ({ message_parts, message_type }: Message): string => {
  const parts = message_parts.map((part) => part.text?.content ?? `[${Object.keys(part)[0] ?? "nothing"}]`);
  return `${message_type === "normal" ? "" : `(${message_type}) `}${parts.join(" ")}`;
};

const changeLines = ({ data }: EventInStream): string[] =>
  Object.entries(data.changes?.model_changes ?? {}).map(
    ([field, [before, after]]) => `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
  );

const outboundLines = ({ message_id, request_id, to, failure_code, failure_reason }: OutboundMessage): string[] => [
  `outbound message ${message_id} to ${to.map(({ phone_number }) => phone_number).join(", ")}`,
  `request ${request_id}`,
  ...(failure_code === undefined ? [] : [`${failure_code}: ${failure_reason}`]),
];

const linesOf = (event: EventInStream): string[] => {
  const { actor, conversation, message, user, outbound_message: outbound } = event.data;
  const subject = message ?? conversation;
  return [
    ...(subject ? [`conversation ${subject.conversation_id}`] : []),
    ...(user ? [`user ${user.id}`] : []),
    ...(outbound ? outboundLines(outbound) : []),
    ...(subject?.messages ?? []).map((each) => `${nameOf(actor)}: ${messageText(each)}`),
    ...changeLines(event),
  ];
};

/** Formats one event for the terminal. */
export const itemText = ({ event, data }: StreamItem): string => {
  if (event === "reset") return styleText("yellow", `events may be missing: ${data.reason}`);
  const time = new Date(data.timestamp).toTimeString().slice(0, 8);
  const head = `${styleText("dim", time)}  ${styleText("bold", event)}  ${styleText("dim", `by ${truncate(nameOf(data.data.actor))}`)}`;
  return [head, ...linesOf(data).map((line) => INDENT + truncate(line))].join("\n");
};
