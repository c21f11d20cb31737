import { Option, type Command } from "commander";
import { joinDatabase } from "@parley/database";
import { generateLoad } from "@parley/service";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { stopSignal } from "../start/shutdown.ts";
import { createLoadProgress } from "../output/progress.ts";
import { environmentHelp } from "../output/environment-help.ts";
import { commandLog } from "../output/log.ts";

const HELP = `
Generates users, conversations in every state and messages, with times in the past two years. No events are sent for them. Ctrl-C
stops after the current batch; another run adds to the existing data.

Examples:
  npx parley load                                     a million users with three million messages into the account 'load'
  npx parley load --users 1000 --messages 5000 --account acme
  npx parley token create --account load              an API key, to read the data afterwards

${environmentHelp("load")}`;

/** Exit status after Ctrl-C, by the convention of shells. */
const INTERRUPTED_STATUS = 130;

interface Options {
  readonly users: number;
  readonly messages: number;
  readonly account: string;
  readonly seed: number;
  readonly json?: boolean;
}

const wholeNumber =
  (name: string, min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new CommandFailure(`${name} takes a whole number from ${min} to ${max}, not '${text}'.`);
  };

const accountName = (text: string): string => {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new CommandFailure(`--account takes a name of lower-case letters, digits and hyphens, not '${text}'.`);
};

const option = <T>(flags: string, text: string, defaultValue: T, parse: (text: string) => T) =>
  new Option(flags, text).default(defaultValue).argParser(parse);

/** `parley load`: writes generated users, conversations and messages to the database. */
export const addLoad = (program: Command, exit: (status: number) => void) =>
  program
    .command("load")
    .description("fill an account with generated users, conversations and messages")
    .addOption(option("--users <number>", "users to add", 1_000_000, wholeNumber("--users", 1, 100_000_000)))
    .addOption(option("--messages <number>", "messages to add", 3_000_000, wholeNumber("--messages", 0, 1_000_000_000)))
    .addOption(option("--account <name>", "the account; created if it does not exist", "load", accountName))
    .addOption(
      option(
        "--seed <number>",
        "seed of the generator; the same seed gives the same data",
        1,
        wholeNumber("--seed", 0, 2 ** 31 - 1),
      ),
    )
    .option("--json", "print one line of JSON at the end, and nothing else, on standard output")
    .addHelpText("after", HELP)
    .action(async ({ users, messages, account, seed, json }: Options) => {
      const startTime = performance.now();
      const stop = stopSignal();
      const stopping = new AbortController();
      void stop.reached.then(() => stopping.abort());
      const { dataFolder, databaseUrl } = parleyConfig();
      await prepareDataFolder(dataFolder, commandLog);
      const database = await joinDatabase({ dataFolder, url: databaseUrl, log: commandLog });
      const progress = createLoadProgress({ users, messages });
      try {
        const { signal } = stopping;
        const result = await generateLoad({
          database,
          account,
          users,
          messages,
          seed,
          signal,
          progress: progress.show,
        });
        progress.end();
        const seconds = Number(((performance.now() - startTime) / 1_000).toFixed(1));
        const { aborted: stopped } = stop;
        if (json) process.stdout.write(`${JSON.stringify({ account, ...result, seconds, stopped })}\n`);
        else
          process.stdout.write(
            `${stopped ? "Stopped" : "Done"} after ${seconds} s: ${result.users} users, ${result.conversations} conversations and ${result.messages} messages were added to ${account}.\n`,
          );
        if (stopped) exit(INTERRUPTED_STATUS);
      } finally {
        progress.end();
        await database.close();
      }
    });
