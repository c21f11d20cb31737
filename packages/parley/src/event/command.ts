import { styleText } from "node:util";
import type { Command } from "commander";
import {
  type FailedSchedule,
  type HandledEvent,
  type HostedApp,
  type PayloadSource,
  isObject,
  type Invocation,
} from "@parley/contract";
import { parleyClient } from "@parley/client";
import { printable, table } from "../output/table.ts";
import { CommandFailure } from "../environment/failure.ts";
import { parseUserJson, readJson } from "../input/json.ts";
import { connectApp, type ControlConnection } from "../control/control-client.ts";
import { invocationText } from "../control/invocation-text.ts";
import { triggerEvent } from "./real.ts";

const sourceText = (source: PayloadSource, event: HandledEvent): string => {
  if (source.from === "file") return source.file;
  if (source.from === "recorded") return "the newest recorded payload";
  return event.kind === "function" ? "no arguments" : "a sample";
};

/** Name that `parley event` accepts: with the module when several modules handle the event. */
const nameIn = ({ event, module }: HandledEvent, all: readonly HandledEvent[]): string =>
  all.filter((each) => each.event === event).length > 1 ? `${module}/${event}` : event;

/** Formats the events that an app handles for the terminal. */
const listText = ({ name, account, events }: HostedApp): string =>
  [
    `${styleText("bold", name)} ${account === undefined ? "is not installed" : `is installed on ${account}`}.`,
    events.length === 0
      ? "Its manifest declares no events."
      : table(
          ["event", "kind", "default payload"],
          events.map((event) => [nameIn(event, events), event.kind, sourceText(event.payload, event)]),
        ),
  ].join("\n");

const text = ({ id, name, due_time, failed_time, tries, reason }: FailedSchedule): string =>
  [
    `${id}  ${styleText("bold", printable(name))}`,
    `  due ${due_time}, failed ${failed_time}`,
    `  after ${tries} ${tries === 1 ? "try" : "tries"}: ${printable(reason).replaceAll("\n", " ")}`,
  ].join("\n");

/** Formats schedules whose retries are exhausted for the terminal. */
const failedText = (failed: readonly FailedSchedule[]): string =>
  failed.length === 0
    ? "No schedule has failed."
    : [...failed.map(text), "Next: fix the handler, then run 'npx parley event replay <id>'."].join("\n");

type Payload = Record<string, unknown>;

const EXPECTED = 'Pass one JSON object, such as {"data": {}}.';

const objectPayload = (value: unknown, where: string): Payload => {
  if (isObject(value)) return value;
  throw new CommandFailure(`${where} does not contain a JSON object. ${EXPECTED}`);
};

/** Payload from the options; undefined when no payload is given. @errors CommandFailure */
async function payloadFromOptions(from: string | undefined, data: string | undefined): Promise<Payload | undefined> {
  if (from !== undefined && data !== undefined)
    throw new CommandFailure("--from and --data can't be combined: both pass a payload.");
  if (data !== undefined) return objectPayload(parseUserJson(data, "--data", EXPECTED), "--data");
  return from === undefined ? undefined : objectPayload(await readJson(from, EXPECTED), `The file ${from}`);
}

const HELP = `
The default payload is server/test_data/<event>.json, else the newest recorded one, else a sample.
Exit status 1 when the handler failed.

Examples:
  npx parley event list
  npx parley event onMessageCreate
  npx parley event onMessageCreate --from payload.json
  npx parley event onScheduledEvent --data '{"data": {"task": "cleanup"}}'
  npx parley event onMessageCreate --real         makes a customer write a message
  npx parley event sendReminder --data '{"to": "Ada"}'    a function of the manifest
  npx parley event failed                         schedules whose retries are exhausted, and why
  npx parley event replay 01a1fea6-…              repeats an earlier call with the current code`;

const FAILED_HELP = `
Entries are kept for 30 days, and the newest 1,000 of each app. A successful replay removes the entry.

Examples:
  npx parley event failed
  npx parley event failed --json | jq -r .[].id | xargs -n 1 npx parley event replay`;

interface Options {
  readonly from?: string;
  readonly data?: string;
  readonly real?: boolean;
  readonly app?: string;
  readonly json?: boolean;
}

const raiseReal = async (name: string, { instance, calls }: ControlConnection): Promise<Invocation> => {
  const { service, token } = instance;
  if (token === undefined) throw new CommandFailure("The API key of the instance is missing. Restart it.");
  return triggerEvent(name, parleyClient({ url: service, token }), calls);
};

async function raise(name: string, options: Options): Promise<Invocation> {
  const payload = await payloadFromOptions(options.from, options.data);
  if (name === "") throw new CommandFailure("The event has no name. 'npx parley event list' shows the app's events.");
  if (options.real && payload) throw new CommandFailure("--real makes its own payload: omit --from and --data.");
  const connection = await connectApp(options.app);
  if (options.real) return raiseReal(name, connection);
  const { calls } = connection;
  const { events } = await calls.app();
  const isFunction = events.some(({ event, kind }) => event === name && kind === "function");
  if (isFunction) return calls.invoke({ name, ...(payload ? { args: payload } : {}) });
  return calls.raise({ event: name, ...(payload ? { payload } : {}) });
}

/** `parley event`: invokes the handlers of a running app. */
export const addEvent = (program: Command, exit: (status: number) => void) => {
  const report = (one: Invocation, { json }: Pick<Options, "json">) => {
    process.stdout.write(`${json ? JSON.stringify(one) : invocationText(one, "brief")}\n`);
    exit(one.ok ? 0 : 1);
  };
  const withOptions = (command: Command) =>
    command
      .exitOverride()
      .option("--app <dir>", "folder or name of the app (default: the app in this folder)")
      .option("--json", "print one line of JSON");

  const event = withOptions(program.command("event"))
    .description("send an event to a running app (or call a function), and show the result")
    .argument("<name>", "event or function, such as onMessageCreate")
    .option("--from <file>", "JSON file with the payload (-: standard input)")
    .option("--data <json>", "payload")
    .option("--real", "trigger the event by a real change on the service")
    .addHelpText("after", HELP)
    .action(async (name: string, options: Options) => report(await raise(name, options), options));

  withOptions(event.command("list"))
    .description("list the app's events and functions, with their default payloads")
    .action(async (_options: Options, command: Command) => {
      const { app, json } = command.optsWithGlobals<Options>();
      const hosted = await (await connectApp(app)).calls.app();
      process.stdout.write(`${json ? JSON.stringify(hosted) : listText(hosted)}\n`);
    });

  withOptions(event.command("failed"))
    .description("list schedules whose handler failed at every attempt")
    .addHelpText("after", FAILED_HELP)
    .action(async (_options: Options, command: Command) => {
      const { app, json } = command.optsWithGlobals<Options>();
      const failed = await (await connectApp(app)).calls.failed();
      process.stdout.write(`${json ? JSON.stringify(failed) : failedText(failed)}\n`);
    });

  withOptions(event.command("replay"))
    .description("repeat an earlier call, or a failed schedule, with the same payload")
    .argument("<id>", "id shown by 'npx parley logs' or 'npx parley event failed'")
    .action(async (id: string, _options: Options, command: Command) => {
      const { app, json = false } = command.optsWithGlobals<Options>();
      report(await (await connectApp(app)).calls.replay(id), { json });
    });
};
