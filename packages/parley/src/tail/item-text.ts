import { styleText } from "node:util";
import type { Actor, EventInStream, Message, OutboundMessage } from "@parley/contract";
import type { StreamItem } from "@parley/client";
import { printable } from "../output/table.ts";

/** Width when the output is not a terminal. @units columns */
const COLUMNS = 80;
const INDENT = "          ";

const cut = (text: string): string => {
  const most = Math.max(40, process.stdout.columns ?? COLUMNS) - INDENT.length;
  const line = printable(text).replaceAll("\n", " ");
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
};

const nameOf = ({ type, sub_type, first_name, last_name }: Actor): string =>
  [first_name, last_name].filter(Boolean).join(" ") || (sub_type === undefined ? type : `${type} (${sub_type})`);

/** Text of a message; the names of parts that have no text. */
const said = ({ message_parts, message_type }: Message): string => {
  const parts = message_parts.map((part) => part.text?.content ?? `[${Object.keys(part)[0] ?? "nothing"}]`);
  return `${message_type === "normal" ? "" : `(${message_type}) `}${parts.join(" ")}`;
};

const changed = ({ data }: EventInStream): string[] =>
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
  const told = message ?? conversation;
  return [
    ...(told ? [`conversation ${told.conversation_id}`] : []),
    ...(user ? [`user ${user.id}`] : []),
    ...(outbound ? outboundLines(outbound) : []),
    ...(told?.messages ?? []).map((each) => `${nameOf(actor)}: ${said(each)}`),
    ...changed(event),
  ];
};

/** Formats one event for the terminal. */
export const itemText = ({ event, data }: StreamItem): string => {
  if (event === "reset") return styleText("yellow", `events may be missing: ${data.reason}`);
  const time = new Date(data.timestamp).toTimeString().slice(0, 8);
  const head = `${styleText("dim", time)}  ${styleText("bold", event)}  ${styleText("dim", `by ${cut(nameOf(data.data.actor))}`)}`;
  return [head, ...linesOf(data).map((line) => INDENT + cut(line))].join("\n");
};
