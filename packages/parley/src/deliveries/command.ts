import { Option, type Command } from "commander";
import { DELIVERY_STATES, type AdminDelivery, type AdminSubscription, type ReplayRequest } from "@parley/contract";
import { connectAdmin, type AdminConnection } from "../admin/admin-client.ts";
import { table } from "../output/table.ts";
import { CommandFailure } from "../environment/failure.ts";

const print = (text: string) => void process.stdout.write(`${text}\n`);

const LIST_HELP = `
Pending: events that were not attempted yet. Waiting: events to be retried; later
events of the conversation wait for them. Aside: events to be retried out of order.
Dead: events whose retries are exhausted; 'npx parley deliveries replay' sends them again.

Examples:
  npx parley deliveries list
  npx parley deliveries list --account load --json`;

const SHOW_HELP = `
Name the subscription by its id or its name. Shows all events that are waiting, aside
or dead, and the last 100 that were delivered.

Examples:
  npx parley deliveries show concierge
  npx parley deliveries show concierge --state dead --limit 500
  npx parley deliveries show concierge --json`;

const REPLAY_HELP = `
Each event keeps its id, so that a receiver can discard duplicates. Events of a
conversation are sent in order, concurrently with new events.

Examples:
  npx parley deliveries replay concierge --failed
  npx parley deliveries replay concierge --event 01890000-0000-7000-8000-000000000001
  npx parley deliveries replay concierge --from 2026-01-31 --to 2026-02-01T12:00:00Z`;

interface AccountOptions {
  readonly account?: string;
  readonly json?: boolean;
}
interface ShowOptions extends AccountOptions {
  readonly state?: AdminDelivery["state"];
  readonly limit: number;
}
interface ReplayOptions extends AccountOptions {
  readonly event?: string;
  readonly from?: string;
  readonly to?: string;
  readonly failed?: boolean;
}

/** Deliveries that one request returns. @units rows */
const PAGE_SIZE = 500;

const connect = async ({ account }: AccountOptions) => {
  const { instance, calls } = await connectAdmin();
  return { calls, account: account ?? instance.account };
};

const findSubscription = async (
  calls: AdminConnection["calls"],
  account: string,
  nameOrId: string,
): Promise<AdminSubscription> => {
  const { subscriptions } = await calls.listSubscriptions({ params: { account } });
  const found = subscriptions.find(({ id, name }) => id === nameOrId || name === nameOrId);
  if (found) return found;
  const names = subscriptions.map(({ name }) => name).join(", ");
  throw new CommandFailure(
    `The account ${account} has no subscription '${nameOrId}'. ` +
      (names === "" ? "It has no subscriptions." : `Choose from: ${names}.`),
  );
};

async function list(options: AccountOptions): Promise<void> {
  const { calls, account } = await connect(options);
  const { subscriptions } = await calls.listSubscriptions({ params: { account } });
  if (options.json) return print(JSON.stringify(subscriptions));
  if (subscriptions.length === 0)
    return print(`The account ${account} has no subscriptions. 'npx parley webhook add <url>' adds a webhook.`);
  print(
    table(
      ["name", "kind", "state", "pending", "waiting", "aside", "dead", "address"],
      subscriptions.map(({ name, kind, state, off_reason, to_come, waiting, aside, dead, url }) => [
        name,
        kind,
        off_reason === undefined ? state : `${state}: ${off_reason}`,
        ...[to_come, waiting, aside, dead].map(String),
        url,
      ]),
    ),
  );
}

const triesText = (tries: number): string => (tries === 1 ? "1 try" : `${tries} tries`);

const resultText = ({ state, replay, tries, reason, next_time }: AdminDelivery): string =>
  [
    `${triesText(tries)}${replay ? ", again" : ""}`,
    ...(reason === undefined || state === "delivered" ? [] : [reason]),
    ...(next_time === undefined ? [] : [`next ${next_time}`]),
  ].join("; ");

async function show(nameOrId: string, options: ShowOptions): Promise<void> {
  const { calls, account } = await connect(options);
  const { id: subscription_id } = await findSubscription(calls, account, nameOrId);
  const deliveries: AdminDelivery[] = [];
  for (let before: string | undefined = ""; before !== undefined && deliveries.length < options.limit;) {
    const limit = Math.min(options.limit - deliveries.length, PAGE_SIZE);
    const query = { limit, ...(options.state && { state: options.state }), ...(before !== "" && { before }) };
    const page = await calls.listDeliveries({ params: { account, subscription_id }, query });
    deliveries.push(...page.deliveries);
    before = page.next_before;
  }
  if (options.json) return print(JSON.stringify(deliveries));
  if (deliveries.length === 0) return print("There are no such events.");
  print(
    table(
      ["event", "kind", "state", "result"],
      deliveries.map((delivery) => [delivery.event_id, delivery.kind, delivery.state, resultText(delivery)]),
    ),
  );
}

const timeIn = (text: string): string => {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new CommandFailure(`A time is written as 2026-01-31 or 2026-01-31T12:00:00Z, not '${text}'.`);
};

const countIn = (text: string): number => {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count > 0) return count;
  throw new CommandFailure(`--limit takes a whole number of at least 1, not '${text}'.`);
};

async function replay(nameOrId: string, { event, from, to, failed, ...options }: ReplayOptions): Promise<void> {
  if (
    [event, from, failed].filter((each) => each !== undefined).length !== 1 ||
    (to !== undefined && from === undefined)
  )
    throw new CommandFailure(
      "Choose the events by one of: --event <id>; --from <time>, with or without --to; --failed.",
    );
  const { calls, account } = await connect(options);
  const { id: subscription_id, name } = await findSubscription(calls, account, nameOrId);
  const body: ReplayRequest = {
    ...(event !== undefined && { event_id: event }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(failed && { failed }),
  };
  const { replayed } = await calls.replayDeliveries({ params: { account, subscription_id }, body });
  if (options.json) return print(JSON.stringify({ replayed }));
  print(
    `${replayed === 1 ? "1 event is" : `${replayed} events are`} being sent to ${name} again. 'npx parley deliveries show ${name}' shows the result.`,
  );
}

/** `parley deliveries`: shows event deliveries and replays them. */
export const addDeliveries = (program: Command): void => {
  const deliveries = program
    .command("deliveries")
    .description("show the delivery of events to subscribers, and replay them");
  const addCommand = (usage: string, description: string, help: string) =>
    deliveries
      .command(usage)
      .description(description)
      .option("--account <name>", "the account (default: that of the running instance)")
      .option("--json", "print one line of JSON")
      .addHelpText("after", help);
  addCommand("list", "list an account's subscriptions and their progress", LIST_HELP).action(list);
  addCommand("show", "list the events of a subscription and their results, newest first", SHOW_HELP)
    .argument("<subscription>", "id or name")
    .addOption(new Option("--state <state>", "only events in this state").choices([...DELIVERY_STATES]))
    .option("--limit <count>", "maximum number of events", countIn, 50)
    .action(show);
  addCommand("replay", "send events to a subscription again", REPLAY_HELP)
    .argument("<subscription>", "id or name")
    .option("--event <id>", "one event")
    .option("--from <time>", "events from this time on", timeIn)
    .option("--to <time>", "events before this time (default: now)", timeIn)
    .option("--failed", "all events that are dead or aside")
    .action(replay);
};
