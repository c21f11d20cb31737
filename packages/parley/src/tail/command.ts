import { InvalidArgumentError, type Command } from "commander";
import { isNoAnswerError, isProblemError } from "@parley/client";
import { connectChat, type ConversationAddress } from "../chat/connect.ts";
import { CommandFailure } from "../environment/failure.ts";
import { stopSignal } from "../start/stop-signal.ts";
import { itemText } from "./item-text.ts";

const HELP = `
Each line of --json is {"id", "event", "data"}; an id given to --since begins after that event.
A lost connection is reopened without missing events.

Examples:
  parley tail                                     all events, until Ctrl-C
  parley tail --types message_create,user_create  only these kinds
  parley tail --conversation 01a1fea6-…           only this conversation
  parley tail --json --limit 1 | jq .data         the next event in full
  parley tail --since 7ps-2f0c9a1e                events after the given one, then new ones`;

interface Options extends ConversationAddress {
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
const throwExplained = (error: unknown): never => {
  if (isProblemError(error))
    throw new CommandFailure(`The service refused: ${error.problem.status}: ${error.problem.message}`);
  if (isNoAnswerError(error))
    throw new CommandFailure(
      "The service can't be reached. Check that it runs ('npm start'), or correct the address of --url.",
    );
  throw error;
};

async function tail(options: Options): Promise<void> {
  const { types, conversation, since, limit = Infinity, json } = options;
  const { client } = await connectChat(options);
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
      await tail(options).catch(throwExplained);
      exit(0);
    });
