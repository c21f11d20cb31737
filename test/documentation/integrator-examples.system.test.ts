import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient, type StreamItem } from "@parley/client";
import { isObject, type NewMessage } from "@parley/contract";
import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT, run, temporaryFolder } from "../support/parley-process.ts";
import { sharedInstance, type OperatedInstance } from "../support/shared-instance.ts";
import { waitUntil } from "../support/wait-until.ts";

/** The examples of the pages for integrators are executed as they stand there. What they print is compared with what the pages show. */

const PAGES = "docs/integrators";
const TEXT = "Is the refund of my credit card order on its way?";
/** How often a message is sent while a reader of events is awaited. */
const POLLS_PER_MESSAGE = 25;
const MESSAGES_OF_A_PAGE = 20;

let instance: OperatedInstance;
let client: ParleyClient;
let folder: string;
let removeFolder: () => Promise<void>;
/** A conversation of the test's own. */
let conversation_id: string;
/** Values of the `<placeholders>`, from what earlier examples returned. */
const values = new Map<string, string>();

beforeAll(async () => {
  instance = await sharedInstance("started");
  client = parleyClient({ url: `${instance.origin}/v2`, token: instance.token });
  const { id } = await client.users.createUser({ body: { first_name: "Ann" } });
  const { channels } = await client.channels.listChannels();
  const message: NewMessage = { actor_type: "user", actor_id: id, message_parts: [{ text: { content: TEXT } }] };
  const body = { channel_id: channels[0]?.id ?? "", users: [{ id }], messages: [message] };
  ({ conversation_id } = await client.conversations.createConversation({ body }));
  const { subscriptions } = await instance.administer<{ subscriptions: { id: string }[] }>(
    "GET",
    `/admin/accounts/${instance.account}/subscriptions`,
  );
  values.set("subscription", subscriptions[0]?.id ?? "");
  ({ folder, remove: removeFolder } = await temporaryFolder("parley-examples-"));
  await mkdir(join(folder, ".parley"));
  await writeFile(join(folder, ".parley/api-key"), instance.token);
});
afterAll(() => removeFolder());

interface Example {
  readonly language: string;
  readonly code: string;
  /** The block that follows and shows the output. */
  readonly sample: string | undefined;
}

const isCommand = ({ language, code }: Pick<Example, "language" | "code">): boolean =>
  language === "js" || /^(?:KEY=|curl |npx parley )/.test(code);

const examplesOf = async (page: string): Promise<Example[]> => {
  const text = await readFile(join(ROOT, PAGES, page), "utf8");
  const found = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const blocks = found.map(([, language = "", code = ""]) => ({ language, code }));
  return blocks.flatMap((block, index) => {
    const next = blocks[index + 1];
    return isCommand(block) ? [{ ...block, sample: next && !isCommand(next) ? next.code : undefined }] : [];
  });
};

const commandsOf = ({ code }: Example): string[] => code.trim().split(/\n+(?=KEY=|curl |npx parley )/);

/** The command with this instance's address and the values of the placeholders. @errors Error for a placeholder without a value */
const filled = (command: string): string =>
  command.replaceAll("http://localhost:10002", instance.origin).replaceAll(/<(\w+)>/g, (placeholder, name: string) => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`No earlier example returns ${placeholder}.`);
    return value;
  });

const PARLEY = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(ROOT, "packages/parley/bin/parley.mjs"))}`;
/** The commands run in a folder with the data folder of the instance; a refusal is a failure. */
const PRELUDE = `set -e -o pipefail
curl() { command curl --fail-with-body --no-progress-meter "$@"; }
npx() { shift; ${PARLEY} "$@"; }
KEY=$(cat .parley/api-key)`;
const shell = (command: string): readonly string[] => ["bash", "-c", `${PRELUDE}\n${filled(command)}`];

const execute = async (command: string): Promise<string> => {
  const options = { cwd: folder, env: { PARLEY_DATA: instance.dataFolder } };
  const { status, stdout, stderr } = await run(shell(command), options);
  if (status !== 0) throw new Error(`${command}\nended with ${status}: ${stdout}${stderr}`);
  return stdout;
};

const sendMessage = async (): Promise<void> => {
  const message_parts = [{ text: { content: TEXT } }];
  await client.messages.createMessage({ params: { conversation_id }, body: { actor_type: "bot", message_parts } });
};

/** Sends messages until the condition holds: a reader may connect after one was sent. */
const sendMessagesUntil = async (isDone: () => boolean, details: () => string): Promise<void> => {
  let polls = 0;
  const poll = async () => {
    if (isDone()) return true;
    if (polls++ % POLLS_PER_MESSAGE === 0) await sendMessage();
    return false;
  };
  await waitUntil(poll, { details });
};

/** Runs a command that does not end by itself, until its output has the expected text. */
const follow = async (argv: readonly string[], isComplete: (output: string) => boolean): Promise<string> => {
  const [file = "", ...args] = argv;
  const env = { ...process.env, PARLEY_DATA: instance.dataFolder };
  const child = spawn(file, args, { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  try {
    await sendMessagesUntil(
      () => isComplete(output),
      () => `${argv.at(-1)}\nprinted: ${output}${errors}`,
    );
    return output;
  } finally {
    // The group of this shell: the command and what it pipes into.
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }
};

/** A sample without the dots for what it leaves out. */
const parseSample = (text: string): unknown =>
  JSON.parse(
    text
      .replaceAll(/,…(?=[,\]}])/g, "")
      .replaceAll("{…}", "{}")
      .replaceAll("[…]", "[]"),
  );

/** -> places of the sample that the value lacks, or has with another type; of a list, those of its first item */
const missingIn = (value: unknown, sample: unknown, place = "$"): string[] => {
  if (Array.isArray(sample)) {
    if (!Array.isArray(value)) return [place];
    return sample.slice(0, 1).flatMap((item) => missingIn(value[0], item, `${place}[0]`));
  }
  if (isObject(sample)) {
    if (!isObject(value)) return [place];
    return Object.entries(sample).flatMap(([name, member]) => missingIn(value[name], member, `${place}.${name}`));
  }
  return typeof value === typeof sample ? [] : [place];
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Keeps the ids that later examples name. */
const remember = (output: string): void => {
  const reply = jsonOf(output);
  if (!isObject(reply)) return;
  if (typeof reply["conversation_id"] === "string") values.set("conversation", reply["conversation_id"]);
  else if (typeof reply["id"] === "string") values.set("user", reply["id"]);
  if (Array.isArray(reply["channels"])) values.set("channel", String((reply["channels"][0] as { id: unknown }).id));
};

test("api.md: the first calls and the search do what the page shows", async () => {
  const examples = await examplesOf("api.md");
  const replies: string[] = [];
  for (const { sample, ...example } of examples)
    for (const command of commandsOf({ ...example, sample })) {
      if (sample === undefined) {
        const output = await execute(command);
        remember(output);
        if (command.startsWith("curl")) replies.push(output);
        continue;
      }
      // There is a next page, and a message is found within a second.
      for (let count = 0; count < MESSAGES_OF_A_PAGE; count++) await sendMessage();
      await waitUntil(async () => (await client.search.search({ query: { q: TEXT, kinds: "messages" } })).next);
      expect(missingIn(jsonOf(await execute(command)), parseSample(sample))).toEqual([]);
    }
  expect(replies.map((reply) => isObject(jsonOf(reply)))).toEqual([true, true, true, true]);
  expect(values.has("conversation")).toBe(true);
  expect(examples.filter(({ sample }) => sample !== undefined)).toHaveLength(1);
});

test("event-stream.md: each way to read the stream prints what the page shows", async () => {
  const examples = await examplesOf("event-stream.md");
  expect(examples.map(({ language }) => language)).toEqual(["", "js", ""]);
  const [curl, script, terminal] = examples as [Example, Example, Example];

  const dataOf = (text: string) => /^event: message_create\ndata: (.*)\n/m.exec(text)?.[1] ?? "";
  const streamed = await follow(shell(curl.code), (output) => dataOf(output) !== "");
  expect(missingIn(jsonOf(dataOf(streamed)), parseSample(dataOf(curl.sample ?? "")))).toEqual([]);
  expect(streamed).toMatch(/^retry: 1000\nid: \S+\n\n/);

  const address = JSON.stringify({ url: `${instance.origin}/v2`, token: instance.token });
  const library = JSON.stringify(join(ROOT, "packages/client/dist/index.js"));
  const setUp = `import { parleyClient } from ${library};\nconst client = parleyClient(${address});\nlet lastEventId;\n`;
  const node = [process.execPath, "--input-type=module", "--eval", setUp + script.code];
  expect(await follow(node, (output) => output.includes("kind:"))).toMatch(/^\S+ message_create \{/m);

  const [plain = "", filtered = ""] = commandsOf(terminal);
  expect(await follow(shell(plain), (output) => output.includes(TEXT))).toContain(conversation_id);
  const firstOf = (output: string): unknown => jsonOf(output.split(/\n(?=\{)/)[0] ?? "");
  const message = firstOf(await follow(shell(filtered), (output) => isObject(firstOf(output))));
  expect(message).toMatchObject({ conversation_id, message_parts: [{ text: { content: TEXT } }] });
});

test.each(["idempotency.md", "events.md"])("%s: each command of the page succeeds", async (page) => {
  const events = client.stream.events({ query: { types: "message_create" } })[Symbol.asyncIterator]();
  let item: StreamItem | undefined;
  void events.next().then(({ value }) => (item = value as StreamItem));
  await sendMessagesUntil(
    () => item !== undefined,
    () => "No event arrived.",
  );
  if (item?.event !== "reset") values.set("id", item?.data.id ?? "");
  await events.return?.();
  const commands = (await examplesOf(page)).flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) await execute(command);
});
