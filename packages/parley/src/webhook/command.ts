import { Option, type Command } from "commander";
import { DEFAULT_WEBHOOK_ACTIONS, WEBHOOK_ACTIONS, type WebhookAction, type WebhookKey } from "@parley/contract";
import { connectAdmin } from "../admin/admin-client.ts";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";
import { webhookTable, webhookText, webhookKeysText, renewedText } from "./report.ts";

const print = (text: string) => void process.stdout.write(`${text}\n`);

const ADD_HELP = `
Actions: ${WEBHOOK_ACTIONS.join(", ")}. Default: ${DEFAULT_WEBHOOK_ACTIONS.join(", ")}.

The URL must use https; a local instance also accepts http://localhost. docs/integrators/webhooks.md describes how a receiver verifies
deliveries; docs/examples/webhook-receiver.mjs is an example.

Examples:
  npx parley webhook add https://hooks.example.com/parley
  npx parley webhook add http://localhost:4000/ -a message_create
  npx parley webhook add https://hooks.example.com/ --json     prints {"id","publicKey","secret"} and nothing else`;

const exampleOf = (...lines: readonly string[]): string =>
  `\n${lines.length > 1 ? "Examples" : "Example"}:\n${lines.map((line) => `  npx parley webhook ${line}`).join("\n")}`;

const ID = "01890000-0000-7000-8000-000000000001";

const ROTATE_HELP = `
During the overlap the current key signs and both keys are listed, so that receivers can be given the new key. Running the command
again during the overlap shows the same new key.

Examples:
  npx parley webhook rotate
  npx parley webhook rotate --overlap 2h
  npx parley webhook rotate --overlap 0                        the current key was leaked: the new key signs at once`;

const RENEW_HELP = `
During the overlap each delivery has the signatures of both secrets, so that a receiver accepts it with either. Give the receiver the
new secret in this time.

Examples:
  npx parley webhook renew ${ID}
  npx parley webhook renew ${ID} --overlap 2h
  npx parley webhook renew ${ID} --overlap 0     the current secret was leaked
  npx parley webhook renew ${ID} --json          prints {"id","secret","overlapUntil"}`;

interface AccountOptions {
  readonly account?: string;
  readonly json?: boolean;
}
interface WebhookOptions extends AccountOptions {
  readonly url?: string;
  readonly action?: readonly WebhookAction[];
}

const actionIn = (text: string, previous: readonly WebhookAction[] = []): readonly WebhookAction[] => {
  const action = WEBHOOK_ACTIONS.find((each) => each === text);
  if (action) return [...previous, action];
  throw new CommandFailure(`There is no action '${text}'. Choose from: ${WEBHOOK_ACTIONS.join(", ")}.`);
};

/** @units hours */
const overlapIn = (text: string): number => {
  const [, count, unit] = /^(\d{1,3})([hd]?)$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * (unit === "d" ? 24 : 1);
  throw new CommandFailure(`--overlap takes hours or days, such as 24h or 2d, or 0, not '${text}'.`);
};

const connect = async ({ account }: AccountOptions) => {
  const { instance, calls } = await connectAdmin();
  return { calls, account: account ?? instance.account };
};

async function add(url: string, options: WebhookOptions): Promise<void> {
  const { calls, account } = await connect(options);
  const { action } = options;
  const body = { url, ...(action && { actions: [...action] }) };
  const { webhook, secret, public_key } = await calls.createWebhook({ params: { account }, body });
  if (options.json) return print(JSON.stringify({ id: webhook.id, publicKey: public_key, secret }));
  print(webhookText(webhook, { account, secret, public_key }));
}

async function list(options: AccountOptions): Promise<void> {
  const { calls, account } = await connect(options);
  const { webhooks } = await calls.listWebhooks({ params: { account } });
  print(options.json ? JSON.stringify(webhooks) : webhookTable(webhooks));
}

const change = (state?: "on" | "off") => async (webhook_id: string, options: WebhookOptions) => {
  const { url, action } = options;
  if (state === undefined && url === undefined && action === undefined)
    throw new CommandFailure("Pass the change: --url or --action.");
  const { calls, account } = await connect(options);
  const body = { ...(url !== undefined && { url }), ...(action && { actions: [...action] }), ...(state && { state }) };
  const webhook = await calls.changeWebhook({ params: { account, webhook_id }, body });
  print(options.json ? JSON.stringify(webhook) : webhookText(webhook));
};

async function remove(webhook_id: string, options: AccountOptions): Promise<void> {
  const { calls, account } = await connect(options);
  const webhook = await calls.removeWebhook({ params: { account, webhook_id } });
  print(options.json ? JSON.stringify(webhook) : printable(`Removed ${webhook.id} (${webhook.url}).`));
}

const test = (exit: (status: number) => void) => async (webhook_id: string, options: AccountOptions) => {
  const { calls, account } = await connect(options);
  const tested = await calls.testWebhook({ params: { account, webhook_id } });
  if (options.json) {
    print(JSON.stringify(tested));
    return exit(tested.delivered ? 0 : 1);
  }
  if (!tested.delivered)
    throw new CommandFailure(
      `The delivery failed: ${tested.reason}. The endpoint must answer with 2xx within 15 seconds; 'npx parley webhook list' shows its URL.`,
    );
  print(`Delivered: status ${tested.status} in ${tested.milliseconds} ms.`);
};

const printKeys = (keys: readonly WebhookKey[], { json }: AccountOptions) =>
  print(json ? JSON.stringify(keys) : webhookKeysText(keys));

async function listKeys(options: AccountOptions): Promise<void> {
  const { calls, account } = await connect(options);
  printKeys((await calls.listWebhookKeys({ params: { account } })).keys, options);
}

interface OverlapOptions extends AccountOptions {
  /** @units hours */
  readonly overlap?: number;
}
const overlapBody = ({ overlap: overlap_hours }: OverlapOptions) =>
  overlap_hours === undefined ? {} : { overlap_hours };

async function rotate(options: OverlapOptions): Promise<void> {
  const { calls, account } = await connect(options);
  printKeys((await calls.rotateWebhookKey({ params: { account }, body: overlapBody(options) })).keys, options);
}

async function renew(webhook_id: string, options: OverlapOptions): Promise<void> {
  const { calls, account } = await connect(options);
  const { webhook, secret } = await calls.renewWebhookSecret({
    params: { account, webhook_id },
    body: overlapBody(options),
  });
  const { id, overlap_until: overlapUntil } = webhook;
  print(options.json ? JSON.stringify({ id, secret, overlapUntil }) : renewedText(webhook, secret));
}

const actionOption = (description: string) => new Option("-a, --action <name>", description).argParser(actionIn);

const overlapOption = (description: string) =>
  new Option("--overlap <time>", `how long ${description} (default: 24h)`).argParser(overlapIn);

/** `parley webhook`: manages the webhooks of an account. */
export const addWebhook = (program: Command, exit: (status: number) => void) => {
  const webhook = program
    .command("webhook")
    .description("manage the webhooks of an account, which send its events to your URLs");
  const addCommand = (name: string, description: string, help: string) =>
    webhook
      .command(name)
      .description(description)
      .option("--account <name>", "the account (default: that of the running instance)")
      .addHelpText("after", help);
  const addWebhookCommand = (name: string, description: string, help: string) =>
    addCommand(name, description, help)
      .argument("<id>", "id that add and list show")
      .option("--json", "print one line of JSON");

  addCommand("add", "add a webhook; its secret is shown only once", ADD_HELP)
    .argument("<url>", "URL that receives the events")
    .addOption(actionOption("action to send; repeatable"))
    .option("--json", 'print {"id","publicKey","secret"} and nothing else')
    .action(add);
  addCommand("list", "list the webhooks of an account", exampleOf("list", "list --account solo --json"))
    .option("--json", "print one line of JSON")
    .action(list);
  addWebhookCommand("change", "change a webhook's URL or actions", exampleOf(`change ${ID} -a message_create`))
    .option("--url <url>", "URL that receives the events")
    .addOption(actionOption("action to send from now on; repeatable"))
    .action(change());
  addWebhookCommand("on", "turn a webhook on; it sends its pending events", exampleOf(`on ${ID}`)).action(change("on"));
  addWebhookCommand("off", "turn a webhook off; its events are kept", exampleOf(`off ${ID}`)).action(change("off"));
  addWebhookCommand("remove", "remove a webhook and its pending events", exampleOf(`remove ${ID}`)).action(remove);
  addWebhookCommand("test", "send one test delivery and show the result", exampleOf(`test ${ID}`)).action(test(exit));
  addWebhookCommand(
    "renew",
    "create a new secret for a webhook, shown only once; the old one stays valid during an overlap",
    RENEW_HELP,
  )
    .addOption(overlapOption("the current secret stays valid"))
    .action(renew);
  addCommand("keys", "list the public keys that verify an account's webhooks", exampleOf("keys", "keys --json"))
    .option("--json", "print one line of JSON")
    .action(listKeys);
  addCommand("rotate", "create a new key pair, which signs after an overlap", ROTATE_HELP)
    .addOption(overlapOption("the current key still signs"))
    .option("--json", "print one line of JSON")
    .action(rotate);
};
