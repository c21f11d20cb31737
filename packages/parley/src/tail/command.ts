import { styleText } from "node:util";
import { InvalidArgumentError, type Command } from "commander";
import type { Actor, EventInStream, Message, OutboundMessage } from "@parley/contract";
import { type StreamItem, isNoAnswerError, isProblemError } from "@parley/client";
import { printable } from "../output/table.ts";
import { connectApi, type ApiAddress } from "../instance/api-client.ts";
import { CommandFailure } from "../environment/failure.ts";
import { stopSignal } from "../start/shutdown.ts";

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
const itemText = ({ event, data }: StreamItem): string => {
  if (event === "reset") return styleText("yellow", `events may be missing: ${data.reason}`);
  const time = new Date(data.timestamp).toTimeString().slice(0, 8);
  const head = `${styleText("dim", time)}  ${styleText("bold", event)}  ${styleText("dim", `by ${truncate(nameOf(data.data.actor))}`)}`;
  return [head, ...linesOf(data).map((line) => INDENT + truncate(line))].join("\n");
};

const HELP = `
Each line of --json is {"id", "event", "data"}; an id given to --since begins after that event.
A lost connection is reopened without missing events.

Examples:
  npx parley tail                                     all events, until Ctrl-C
  npx parley tail --types message_create,user_create  only these kinds
  npx parley tail --conversation 01a1fea6-…           only this conversation
  npx parley tail --json --limit 1 | jq .data         the next event in full
  npx parley tail --since 7ps-2f0c9a1e                events after the given event, then new events`;

interface Options extends ApiAddress {
  readonly types?: string;
  readonly conversation?: string;
  readonly since?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

const count = (text: string): number => {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Pass a number of at least 1.");
};

/** Turns refusals and connection errors into failures that the user can act on. */
const failExplained = (error: unknown): never => {
  if (isProblemError(error))
    throw new CommandFailure(`The service refused: ${error.problem.status}: ${error.problem.message}`);
  if (isNoAnswerError(error))
    throw new CommandFailure(
      "The service can't be reached. Check that it runs ('npx parley status'), or correct the address of --url.",
    );
  throw error;
};

async function tail(options: Options): Promise<void> {
  const { types, conversation, since, limit = Infinity, json } = options;
  const { client } = await connectApi(options);
  const stopped = new AbortController();
  void stopSignal().reached.then(() => stopped.abort());
  const query = {
    ...(types !== undefined && { types }),
    ...(conversation !== undefined && { conversation_id: conversation }),
  };
  const items = client.stream.events({
    query,
    signal: stopped.signal,
    ...(since !== undefined && { lastEventId: since }),
  });
  let printed = 0;
  for await (const item of items) {
    process.stdout.write(`${json ? JSON.stringify(item) : itemText(item)}\n`);
    if (++printed >= limit) break;
  }
}

/** `parley tail`: prints the events of an account. */
export const addTail = (program: Command, exit: (status: number) => void) =>
  program
    .command("tail")
    .description("print the events of an account as they happen")
    .option("--types <kinds>", "only events of these kinds, separated by commas")
    .option("--conversation <id>", "only events of this conversation")
    .option("--since <id>", "start after the event with this id (see --json)")
    .option("--limit <n>", "exit after this number of events", count)
    .option("--url <url>", "address of the service with its version, e.g. http://localhost:10002/v2")
    .option("--token <token>", "API key (default: that of the running instance)")
    .option("--json", "print one line of JSON for each event")
    .addHelpText("after", HELP)
    .action(async (options: Options) => {
      await tail(options).catch(failExplained);
      exit(0);
    });
