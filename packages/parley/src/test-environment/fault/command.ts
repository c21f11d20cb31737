import type { Fault, NewFault } from "@parley/contract";
import { InvalidArgumentError, type Command } from "commander";
import { connectAdmin } from "../../admin/admin-client.ts";
import { table } from "../../output/table.ts";
import { CommandFailure } from "../../environment/failure.ts";

const effectOf = ({ kind, milliseconds, status, retry_after, when }: Fault): string => {
  if (kind === "latency") return `delayed by ${milliseconds} ms`;
  if (kind === "drop")
    return when === "after" ? "processed, then the connection dropped" : "the connection dropped before processing";
  return `status ${status}${status !== 500 && retry_after !== undefined ? ` (Retry-After ${retry_after})` : ""}`;
};

const scopeOf = ({ target, endpoint = "*", host }: Fault): string => {
  const isEveryEndpoint = endpoint === "*";
  if (target !== "app") return isEveryEndpoint ? "every request" : endpoint;
  const requests = host === undefined ? "the app's requests" : `the app's requests to ${host}`;
  return isEveryEndpoint ? requests : `${endpoint} of ${requests}`;
};

const timesOf = (count: number): string => (count === 1 ? "once" : `${count} times`);

const frequencyOf = ({ rate = 1, times }: Fault): string =>
  [
    ...(rate < 1 ? [`${Number((rate * 100).toFixed(1))} % of them`] : []),
    ...(times === undefined ? [] : [times === 1 ? "once" : `${times} times at most`]),
  ]
    .map((text) => `, ${text}`)
    .join("");

/** Describes a fault in one line, such as `POST /v2/users: status 503, once`. */
const describeFault = (fault: Fault): string => `${scopeOf(fault)}: ${effectOf(fault)}${frequencyOf(fault)}`;

const HELP = `
An endpoint is a method and a path as in the API reference; * matches any text, {a name} one path segment. Requests below /admin are
never affected. Latencies add up; of the other faults that match a request, only the first one in the list applies.

Examples:
  npx parley fault add --latency 800                                 delay every request
  npx parley fault add "POST /v2/conversations/{conversation_id}/messages" --status 503 --times 2
  npx parley fault add "GET /v2/users*" --status 429 --retry-after 5 --rate 0.3
  npx parley fault add "POST /v2/users" --drop after                 create the user, but drop the response
  npx parley fault add --app --host api.example.com --status 500     requests that the app sends
  npx parley fault list
  npx parley fault remove 1
  npx parley fault clear`;

interface Options {
  readonly latency?: number;
  readonly status?: number;
  readonly retryAfter?: number;
  readonly drop?: string;
  readonly rate?: number;
  readonly times?: number;
  readonly app?: boolean;
  readonly host?: string;
  readonly json?: boolean;
}

const print = (text: string) => void process.stdout.write(`${text}\n`);

const number = (text: string): number => {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) throw new InvalidArgumentError("Pass a number.");
  return value;
};

const kindOf = ({ latency, status, drop, retryAfter }: Options): Omit<NewFault, "rate"> => {
  const effects = [latency, status, drop].filter((each) => each !== undefined);
  if (effects.length !== 1) throw new CommandFailure("Choose the fault: one of --latency, --status and --drop.");
  if (latency !== undefined) return { kind: "latency", milliseconds: latency };
  // The service validates the status and the moment.
  if (status !== undefined)
    return { kind: "status", status: status as 500, ...(retryAfter !== undefined && { retry_after: retryAfter }) };
  return { kind: "drop", when: drop as "before" };
};

async function add(endpoint: string, options: Options): Promise<void> {
  const { rate, times, app, host, json } = options;
  const body: NewFault = {
    ...kindOf(options),
    endpoint,
    ...((app || host !== undefined) && { target: "app" }),
    ...(host !== undefined && { host }),
    ...(rate !== undefined && { rate }),
    ...(times !== undefined && { times }),
  };
  const { testEnvironment } = await connectAdmin();
  const fault = await testEnvironment.addFault({ body });
  print(json ? JSON.stringify(fault) : `Fault ${fault.id}: ${describeFault(fault)}.`);
}

const rowsOf = (faults: readonly Fault[]) =>
  table(
    ["id", "occurred", "fault"],
    faults.map((fault) => [fault.id, String(fault.happened), describeFault(fault)]),
  );

async function list({ json }: Options): Promise<void> {
  const { testEnvironment } = await connectAdmin();
  const { faults } = await testEnvironment.getWorld({});
  if (json) return print(JSON.stringify(faults));
  print(
    faults.length > 0 ? rowsOf(faults) : "There are no faults. 'npx parley fault add --help' shows how to add a fault.",
  );
}

async function remove(id: string, { json }: Options): Promise<void> {
  const { testEnvironment } = await connectAdmin();
  const fault = await testEnvironment.removeFault({ params: { fault_id: id } });
  print(json ? JSON.stringify(fault) : `Fault ${fault.id} was removed; it occurred ${timesOf(fault.happened)}.`);
}

async function clear({ json }: Options): Promise<void> {
  const { testEnvironment } = await connectAdmin();
  const { faults } = await testEnvironment.clearFaults({});
  print(
    json ? JSON.stringify(faults) : `${faults.length === 1 ? "1 fault was" : `${faults.length} faults were`} removed.`,
  );
}

/** `parley fault`: injects faults into requests. */
export const addFault = (program: Command, _exit: (status: number) => void): void => {
  const fault = program
    .command("fault")
    .description("inject faults into requests to the running instance, or of its apps")
    .addHelpText("after", HELP);
  const addCommand = (name: string, description: string) =>
    fault.command(name).description(description).option("--json", "print one line of JSON").addHelpText("after", HELP);
  addCommand("add", "add a fault")
    .argument("[endpoint]", "such as 'POST /v2/users' (default: all endpoints)", "*")
    .option("--latency <milliseconds>", "delay responses", number)
    .option("--status <code>", "respond with 429, 500 or 503 without processing the request", number)
    .option("--retry-after <seconds>", "Retry-After of 429 and 503 (default: 1)", number)
    .option("--drop <before|after>", "drop the connection before or after the request is processed")
    .option("--rate <share>", "probability, from 0 to 1 (default: 1)", number)
    .option("--times <count>", "maximum number of occurrences", number)
    .option("--app", "affect the requests that apps send")
    .option("--host <name>", "affect only app requests to this host: api.example.com or *.example.com")
    .action(add);
  addCommand("list", "list the faults and how often each occurred").action(list);
  addCommand("remove", "remove one fault").argument("<id>", "id that list shows").action(remove);
  addCommand("clear", "remove all faults").action(clear);
};
