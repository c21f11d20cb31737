import { InvalidArgumentError, type Command } from "commander";
import type { Invocation, InvocationQuery } from "@parley/contract";
import { connectApp } from "../control/control-client.ts";
import { invocationText } from "../control/invocation-text.ts";
import { stopSignal } from "../start/shutdown.ts";

const HELP = `
Examples:
  npx parley logs                        the latest calls of the app in this folder
  npx parley logs --follow --failed      each call that fails, as it ends
  npx parley logs --event onMessageCreate --limit 1
  npx parley logs --id 01a1fea6-…        one call in full, with its payload
  npx parley logs --json | jq .error     one line of JSON for each call`;

interface Options {
  readonly follow?: boolean;
  readonly failed?: boolean;
  readonly event?: string;
  readonly handler?: string;
  readonly limit: number;
  readonly id?: string;
  readonly app?: string;
  readonly json?: boolean;
}

const count = (text: string): number => {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Pass a number from 1 to 9999.");
};

const queryOf = ({ failed, event, handler }: Options): InvocationQuery => ({
  ...(failed ? { ok: false } : {}),
  ...(event === undefined ? {} : { event }),
  ...(handler === undefined ? {} : { handler }),
});

async function logs(options: Options): Promise<void> {
  const { follow, json, limit, id, app } = options;
  const { calls } = await connectApp(app);
  const print = (invocation: Invocation, detail: "full" | "brief") =>
    process.stdout.write(`${json ? JSON.stringify(invocation) : `${invocationText(invocation, detail)}\n`}\n`);
  if (id !== undefined) return void print(await calls.find(id), "full");

  const query = queryOf(options);
  const stop = follow ? stopSignal() : undefined;
  const stopping = new AbortController();
  void stop?.reached.then(() => stopping.abort());
  // Subscribes before reading the history, so that no invocation is missed in between.
  const followed = follow ? await calls.follow(query, stopping.signal) : undefined;
  const history = await calls.list({ ...query, limit });
  for (const invocation of history) print(invocation, "brief");
  if (!followed) {
    if (history.length === 0 && !json) process.stderr.write("No recorded calls match.\n");
    return;
  }
  const seen = new Set(history.map((invocation) => invocation.id));
  for await (const invocation of followed) if (!seen.has(invocation.id)) print(invocation, "brief");
}

/** `parley logs`: prints the invocations of an app's handlers. */
export const addLogs = (program: Command, exit: (status: number) => void) =>
  program
    .command("logs")
    .description("show the handler calls of a running app: payload, log lines, requests, output, error")
    .option("--follow", "keep printing calls as they end, until Ctrl-C")
    .option("--failed", "only calls that failed")
    .option("--event <name>", "only calls of this event or function")
    .option("--handler <name>", "only calls of this handler")
    .option("--limit <n>", "number of past calls", count, 20)
    .option("--id <id>", "show one call in full")
    .option("--app <dir>", "folder or name of the app (default: the app in this folder)")
    .option("--json", "print one line of JSON for each call")
    .addHelpText("after", HELP)
    .action(async (options: Options) => {
      await logs(options);
      exit(0);
    });
