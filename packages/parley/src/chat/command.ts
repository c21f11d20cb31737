import { setTimeout } from "node:timers/promises";
import { createInterface } from "node:readline/promises";
import { Option, type Command } from "commander";
import { ProblemError } from "@parley/client";
import { CommandFailure } from "../environment/failure.ts";
import { connectApi, type ApiAddress } from "../instance/api-client.ts";
import { createChatCustomer, type ChatChoice, type ChatCustomer } from "./conversation.ts";
import { silenceReason, answerLine, chosenReply, transcript } from "./transcript.ts";

/** Polling interval while a reply is awaited. @units milliseconds */
const ACTIVE_POLL_MS = 200;
/**
 * Polling intervals after a period without input. Polling counts against the account's hourly call limit, so an idle chat polls less often.
 * @units milliseconds
 */
const IDLE_POLLS = [
  { afterMs: 60_000, pollMs: 5_000 },
  { afterMs: 5_000, pollMs: 2_000 },
];
/** How long `--once` waits for another reply after the last reply. @units milliseconds */
const FOLLOW_UP_WAIT_MS = 1_000;

const HELP = `
Exit status 1 when a message was sent and no reply came; the reason is printed on standard error.

Examples:
  npx parley chat
  npx parley chat --once "Hi"
  npx parley chat --channel Billing --name Ada
  printf 'Hi\\n2\\n' | npx parley chat          a number or a label chooses a quick reply`;

interface Options extends ApiAddress {
  readonly once?: string;
  readonly name: string;
  readonly channel?: string;
  readonly wait: number;
}

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Sends one message and prints the replies. -> whether a reply arrived */
async function sendOnce(customer: ChatCustomer, text: string, waitSeconds: number): Promise<boolean> {
  await customer.send(text);
  const startTime = performance.now();
  let lastReplyTime: number | undefined;
  while (
    performance.now() <
    (lastReplyTime === undefined ? startTime + waitSeconds * 1000 : lastReplyTime + FOLLOW_UP_WAIT_MS)
  ) {
    for (const message of await customer.replies()) {
      print(transcript(message).text);
      lastReplyTime = performance.now();
    }
    await setTimeout(ACTIVE_POLL_MS);
  }
  return lastReplyTime !== undefined;
}

const printError = (text: string) => void process.stderr.write(`parley: ${text}\n`);

/**
 * Interactive chat: sends each input line and prints replies as they arrive, until the end of the input. When the input is a pipe, the end
 * of the input waits for the first reply.
 * -> false when a message was sent and no reply arrived
 */
async function chatInteractively(
  customer: ChatCustomer,
  waitSeconds: number,
  explain: () => Promise<string>,
): Promise<boolean> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    prompt: "You: ",
    terminal: process.stdin.isTTY,
  });
  let choices: readonly ChatChoice[] = [];
  let isEnded = false;
  let lastInputTime = performance.now();
  /** When the first unanswered message was sent; undefined when every message is answered. @units milliseconds of the monotonic clock */
  let unansweredSince: number | undefined;
  let isAnswered = false;
  let isExplained = false;
  const pollIntervalMs = () =>
    IDLE_POLLS.find(({ afterMs }) => performance.now() - lastInputTime > afterMs)?.pollMs ?? ACTIVE_POLL_MS;
  const show = async () => {
    for (const message of await customer.replies()) {
      const shown = transcript(message);
      choices = shown.choices.length > 0 ? shown.choices : choices;
      isAnswered = true;
      unansweredSince = undefined;
      // Replaces the prompt line; `prompt(true)` below restores the prompt with the text that is being typed.
      if (process.stdout.isTTY) process.stdout.write("\r\u001b[K");
      print(shown.text);
      if (process.stdin.isTTY) lines.prompt(true);
    }
    if (unansweredSince === undefined || isExplained || performance.now() - unansweredSince < waitSeconds * 1000)
      return;
    isExplained = true;
    printError(`no reply within ${waitSeconds} s. ${await explain()}`);
    if (process.stdin.isTTY) lines.prompt(true);
  };
  let failure: Error | undefined;
  const pollReplies = async () => {
    while (!isEnded) {
      await show();
      // Sleeps in short steps, so that new input or the end of the chat takes effect at once.
      for (let sleptMs = 0; !isEnded && sleptMs < pollIntervalMs(); sleptMs += ACTIVE_POLL_MS)
        await setTimeout(ACTIVE_POLL_MS);
    }
  };
  const polling = pollReplies().catch((error: unknown) => {
    failure = error as Error;
    lines.close();
  });
  const prompt = () => process.stdin.isTTY && lines.prompt();
  if (process.stdin.isTTY)
    print("Write a message and press Enter; a number chooses a quick reply. Press Ctrl-D to end.");
  prompt();
  try {
    for await (const input of lines) {
      const line = input.trim();
      if (line !== "") {
        const choice = chosenReply(line, choices);
        // Echoes the text of the choice, so that the transcript shows more than a number.
        if (choice && choice.text !== line) print(answerLine(choice));
        await customer.send(choice?.text ?? line, choice);
        lastInputTime = performance.now();
        if (!isAnswered) unansweredSince ??= lastInputTime;
        if (!process.stdin.isTTY) await setTimeout(FOLLOW_UP_WAIT_MS).then(show);
      }
      prompt();
    }
    while (!process.stdin.isTTY && unansweredSince !== undefined && !isExplained && !failure)
      await setTimeout(ACTIVE_POLL_MS);
  } finally {
    isEnded = true;
  }
  await polling;
  if (failure) throw failure;
  return unansweredSince === undefined;
}

/** Turns refusals and connection errors into failures that the user can act on. */
const failExplained = (error: unknown): never => {
  if (error instanceof ProblemError)
    throw new CommandFailure(`The service refused: ${error.problem.status}: ${error.problem.message}`);
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ECONNREFUSED" || code === "ENOTFOUND")
    throw new CommandFailure(
      "The service can't be reached. Check that it runs ('npx parley status'), or correct the address of --url.",
    );
  throw error;
};

const seconds = (text: string): number => {
  const value = Number(text);
  if (!(value > 0 && value <= 600)) throw new CommandFailure("--wait takes a number of seconds from 1 to 600.");
  return value;
};

/** `parley chat`: writes to the service as a customer. */
export const addChat = (program: Command, exit: (status: number) => void) =>
  program
    .command("chat")
    .description("write to the service as a customer and show the replies")
    .option("--once <text>", "send one message, print the replies, and exit")
    .option("--channel <name>", "channel (topic) to write in (default: the first enabled public channel)")
    .option("--name <name>", "the customer's first name", "Sam")
    .addOption(new Option("--wait <seconds>", "how long to wait for the first reply").default(5).argParser(seconds))
    .option("--url <url>", "address of the service with its version, e.g. http://localhost:10002/v2")
    .option("--token <token>", "API key (default: that of the running instance)")
    .addHelpText("after", HELP)
    .action(async (options: Options) => {
      try {
        const { client, instance } = await connectApi(options);
        const explain = () => silenceReason(instance);
        const customer = createChatCustomer(client, { name: options.name, channel: options.channel });
        if (options.once === undefined) {
          if (!(await chatInteractively(customer, options.wait, explain))) exit(1);
          return;
        }
        if (options.once.trim() === "") throw new CommandFailure('--once needs a message, for example --once "Hello".');
        if (await sendOnce(customer, options.once, options.wait)) return;
        printError(`no reply within ${options.wait} s. ${await explain()}`);
        exit(1);
      } catch (error) {
        failExplained(error);
      }
    });
