import { CommandFailure } from "../environment/failure.ts";
import { parseUserJson, readJson } from "../input/json-file.ts";
import type { Command } from "commander";
import { parleyClient } from "@parley/client";
import { isObject, type Invocation } from "@parley/contract";
import { connectApp, type ControlConnection } from "../control/connect.ts";
import { invocationText } from "../control/invocation-text.ts";
import { failedText, listText } from "./list.ts";
import { triggerEvent } from "./real.ts";

type Payload = Record<string, unknown>;

const EXPECTED = 'It must be one JSON object, such as {"data": {}}.';

const objectPayload = (value: unknown, where: string): Payload => {
  if (isObject(value)) return value;
  throw new CommandFailure(`${where} holds no object. ${EXPECTED}`);
};

/** Payload from the options; undefined when none is given. @errors CommandFailure */
export async function payloadFromOptions(
  from: string | undefined,
  data: string | undefined,
): Promise<Payload | undefined> {
  if (from !== undefined && data !== undefined)
    throw new CommandFailure("--from and --data both give a payload: leave one out.");
  if (data !== undefined) return objectPayload(parseUserJson(data, "--data", EXPECTED), "--data");
  return from === undefined ? undefined : objectPayload(await readJson(from, EXPECTED), `The file ${from}`);
}

const HELP = `
Without a payload that of server/test_data/<event>.json is taken, else the newest real one, else a sample.
The status is 1 when the handler failed.

Examples:
  parley event list
  parley event onMessageCreate
  parley event onMessageCreate --from payload.json
  parley event onScheduledEvent --data '{"data": {"task": "tidy"}}'
  parley event onMessageCreate --real         a customer really writes
  parley event sendReminder --data '{"to": "Ada"}'    a function of the manifest
  parley event failed                         schedules that were given up, and why
  parley event replay 01a1fea6-…              an earlier call again, on the code of now`;

const FAILED_HELP = `
They are kept for 30 days, of an app the newest 1,000; one whose handler ends well at a replay is gone.

Examples:
  parley event failed
  parley event failed --json | jq -r .[].id | xargs -n 1 parley event replay`;

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
  if (name === "") throw new CommandFailure("The event has no name. 'parley event list' shows what the app hears.");
  if (options.real && payload) throw new CommandFailure("--real brings its own payload: leave --from and --data out.");
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
      .option("--app <dir>", "folder or name of the app; that of this folder when absent")
      .option("--json", "print one line of JSON");

  const event = withOptions(program.command("event"))
    .description("raise an event (or call a function) of a running app, and show what its handler did")
    .argument("<name>", "such as onMessageCreate")
    .option("--from <file>", "the payload, from a JSON file (-: standard input)")
    .option("--data <json>", "the payload")
    .option("--real", "make it really happen on the service")
    .addHelpText("after", HELP)
    .action(async (name: string, options: Options) => report(await raise(name, options), options));

  withOptions(event.command("list"))
    .description("what the app hears, and where a payload would come from")
    .action(async (_options: Options, command: Command) => {
      const { app, json } = command.optsWithGlobals<Options>();
      const hosted = await (await connectApp(app)).calls.app();
      process.stdout.write(`${json ? JSON.stringify(hosted) : listText(hosted)}\n`);
    });

  withOptions(event.command("failed"))
    .description("schedules whose handler failed at every try: each waits until it is replayed")
    .addHelpText("after", FAILED_HELP)
    .action(async (_options: Options, command: Command) => {
      const { app, json } = command.optsWithGlobals<Options>();
      const failed = await (await connectApp(app)).calls.failed();
      process.stdout.write(`${json ? JSON.stringify(failed) : failedText(failed)}\n`);
    });

  withOptions(event.command("replay"))
    .description("call a handler again with the payload of an earlier call, or of a failed schedule")
    .argument("<id>", "of the call, which 'parley logs' shows, or of what 'parley event failed' shows")
    .action(async (id: string, _options: Options, command: Command) => {
      const { app, json = false } = command.optsWithGlobals<Options>();
      report(await (await connectApp(app)).calls.replay(id), { json });
    });
};
