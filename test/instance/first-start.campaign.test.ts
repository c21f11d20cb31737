import { chmod, mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import { launchBrowser } from "../../packages/framework/test/support/browser.ts";
import { openPanel, write } from "../../packages/messenger/test/support/panel.ts";
import { waitUntil } from "../support/wait-until.ts";
import {
  familyOf,
  killAll,
  parley,
  startParley,
  survivors,
  temporaryFolder,
  type RunningParley,
} from "../support/parley-process.ts";
import { createConversation, greetings, isGreeted, messagesOf } from "./greeting.ts";

describe("an instance of npm start", () => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let running: RunningParley;
  let client: ParleyClient;

  beforeAll(async () => {
    data = await temporaryFolder();
    // Creates a new cluster, as on a machine where Parley runs for the first time.
    running = await startParley(data.folder, { env: { PARLEY_TEST_CLUSTER: undefined } });
    client = parleyClient({ url: running.service, token: running.token });
  });
  afterAll(async () => {
    await running.stop();
    await data.remove();
  });

  test("prints one line with all addresses for --json and nothing else", () => {
    expect(running.output.stdout.trim().split("\n")).toHaveLength(1);
    expect(running).toMatchObject({ account: "acme", installPage: `${running.app}/custom_configs` });
    expect(running.service).toMatch(/^http:\/\/localhost:\d+\/v2$/);
  });

  test("writes the API key's file with access for its owner only", async () => {
    const file = join(data.folder, "api-key");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, "utf8")).trim()).toBe(running.token);
  });

  test("serves the API reference, the OpenAPI document and the installation page", async () => {
    for (const address of [
      `${running.service}/openapi.json`,
      running.service.replace("/v2", "/docs"),
      running.installPage,
      running.messenger,
    ])
      expect((await fetch(address)).status).toBe(200);
  });

  test("greets a conversation once, with the bot's name and the menu as quick replies", async () => {
    await isGreeted(client, (await createConversation(client)).conversation);
    const { conversation } = await createConversation(client, "Hello");
    expect(await isGreeted(client, conversation)).toBe(true);
    // A greeting of a later conversation follows a second one of this.
    expect(await isGreeted(client, (await createConversation(client)).conversation)).toBe(true);
    const [greeting, ...more] = greetings(await messagesOf(client, conversation));
    expect(more).toEqual([]);
    expect(greeting?.meta_data?.["bot_name"]).toBe("Concierge");
    expect(greeting?.message_parts[0]?.text?.content).toContain("Ada");
    const buttons = greeting?.reply_parts?.flatMap((part) => part.collection?.sub_parts ?? []);
    expect(buttons?.map((part) => part.quick_reply_button?.label).filter(Boolean).length).toBeGreaterThan(1);
  });

  test("assigns the conversation to its group and sets the priority for a chosen quick reply", async () => {
    const { conversation, user } = await createConversation(client);
    await isGreeted(client, conversation);
    const greeting = greetings(await messagesOf(client, conversation))[0];
    const label = greeting?.reply_parts?.[0]?.collection?.sub_parts[0]?.quick_reply_button?.label ?? "";
    await client.messages.createMessage({
      params: { conversation_id: conversation },
      body: { actor_type: "user", actor_id: user, message_parts: [{ text: { content: label } }] },
    });
    const { assigned_group_id: group, properties } = await waitUntil(async () => {
      const now = await client.conversations.getConversation({ params: { conversation_id: conversation } });
      return now.assigned_group_id !== undefined && now;
    });
    expect(properties?.["priority"]).toBeDefined();
    const { groups } = await client.groups.listGroups({ query: { items_per_page: 100 } });
    expect(groups.map(({ id }) => id)).toContain(group);
  });

  test("serves a demo shop on an origin of its own, where Concierge answers an anonymous visitor", async () => {
    expect(new URL(running.messenger).origin).not.toBe(new URL(running.service).origin);
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      const refused: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error") refused.push(message.text());
      });
      await page.goto(running.messenger);
      const panel = await openPanel(page);
      await write(panel, "Hello from the shop");
      const messages = panel.getByRole("region", { name: "Conversation" });
      await messages.getByText("this is Concierge").waitFor({ timeout: 100_000 });
      await messages.getByRole("button", { name: "I need help with my order" }).click();
      await messages.getByText("Support will answer you here").waitFor({ timeout: 100_000 });
      expect(refused).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  test("lets parley chat --once print the greeting with the bot's name and exit with status 0", async () => {
    const { status, stdout, stderr } = await parley(["chat", "--once", "Hi"], { env: { PARLEY_DATA: data.folder } });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^Concierge: /);
    expect(stdout).toMatch(/1\) /);
    expect(status).toBe(0);
  });

  test("lets parley chat use --url and --token, a piped conversation and a numbered choice", async () => {
    const { status, stdout } = await parley(["chat", "--url", running.service, "--token", running.token], {
      input: "Hello\n1\n",
    });
    expect(stdout).toContain("Concierge: ");
    const label = /1\) (.*)/.exec(stdout)?.[1] ?? "";
    expect(stdout).toContain(`→ ${label}`);
    expect(status).toBe(0);
  });

  test("makes parley chat fail in one line when the service stops", async () => {
    const away = await temporaryFolder();
    const second = await startParley(away.folder);
    let chatProcess: ReturnType<typeof parley> | undefined;
    const env = { PARLEY_DATA: away.folder };
    await new Promise<void>((resolve) => {
      const onGreeting = (stdout: string) => stdout.includes("Concierge: ") && resolve();
      chatProcess = parley(["chat"], { env, input: "Hello\n", keepInput: true, onOutput: onGreeting });
    });
    await second.stop();
    const { status, stderr } = (await chatProcess) ?? {};
    expect(stderr).toMatch(/^parley: The service can't be reached[^\n]*\n$/);
    expect(status).toBe(1);
    await away.remove();
  });

  test("makes parley chat print a next step: no instance, a wrong key, an unknown channel", async () => {
    const none = await parley(["chat", "--once", "Hi"], { env: { PARLEY_DATA: join(data.folder, "nowhere") } });
    expect(none).toMatchObject({ status: 1, stdout: "" });
    expect(none.stderr).toMatch(/^parley: No instance runs on .*npx parley start/);
    const key = await parley(["chat", "--once", "Hi", "--url", running.service, "--token", "wrong"]);
    expect(key).toMatchObject({ status: 1, stderr: expect.stringContaining("UNAUTHENTICATED") });
    const channel = await parley(["chat", "--once", "Hi", "--channel", "Nope"], { env: { PARLEY_DATA: data.folder } });
    expect(channel).toMatchObject({ status: 1, stderr: expect.stringContaining("There is no channel 'Nope'") });
  });

  test("rejects a second start on the same data folder in one line", async () => {
    await expect(startParley(data.folder)).rejects.toThrow(/start ended with 1: parley: [^\n]+\n$/);
  });

  test("runs beside another instance with its own data folder", async () => {
    const other = await temporaryFolder();
    const second = await startParley(other.folder);
    try {
      expect(second.token).not.toBe(running.token);
      const refused = await fetch(`${second.service}/channels`, {
        headers: { authorization: `Bearer ${running.token}` },
      });
      expect(refused.status).toBe(401);
    } finally {
      await second.stop();
      await other.remove();
    }
  });
});

describe("npm start and its end", () => {
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let running: RunningParley | undefined;

  beforeAll(async () => {
    data = await temporaryFolder();
  });
  afterAll(async () => {
    await running?.stop();
    await data.remove();
  });

  /** Starts on the folder's data, or returns the instance that an earlier test has left running. */
  const runningInstance = async () => (running ??= await startParley(data.folder));

  test.each(["SIGINT", "SIGTERM"] as const)("%s stops everything within 5 s and leaves no process", async (signal) => {
    const instance = await runningInstance();
    running = undefined;
    const family = await familyOf(instance.pid);
    expect(family.length).toBeGreaterThan(2);
    expect(await instance.signal(signal)).toBe(0);
    expect(await survivors(family, 10_000)).toEqual([]);
  });

  test("a restart keeps the API key and all data", async () => {
    const first = await runningInstance();
    const { token } = first;
    const { conversation } = await createConversation(parleyClient({ url: first.service, token }));
    running = undefined;
    await first.stop();
    const second = await runningInstance();
    expect(second.token).toBe(token);
    const messages = await messagesOf(parleyClient({ url: second.service, token }), conversation);
    expect(messages.length).toBeGreaterThan(0);
  });

  test("after SIGKILL of Node between event and answer, all acknowledged data exists and each conversation is greeted once", async () => {
    const killed = await runningInstance();
    const client = parleyClient({ url: killed.service, token: killed.token });
    const written = await Promise.all(Array.from({ length: 20 }, () => createConversation(client)));
    const family = await familyOf(killed.pid);
    running = undefined;
    process.kill(killed.pid, "SIGKILL");
    expect(await survivors(family, 10_000)).toEqual([]);
    running = await startParley(data.folder);
    const again = parleyClient({ url: running.service, token: running.token });
    // On a busy computer the app postpones some of the 20 greetings several times, each time by a minute.
    for (const { conversation } of written) expect(await isGreeted(again, conversation, 300_000)).toBe(true);
    // A greeting of a later conversation follows a second one of these.
    expect(await isGreeted(again, (await createConversation(again)).conversation)).toBe(true);
    for (const { conversation } of written) {
      const messages = await messagesOf(again, conversation);
      expect(messages.filter(({ actor_type }) => actor_type === "user")).toHaveLength(1);
      expect(greetings(messages)).toHaveLength(1);
    }
  }, 400_000);

  test("after SIGKILL of the whole process tree with PostgreSQL, the next start serves all acknowledged data", async () => {
    const killed = await runningInstance();
    const { conversation } = await createConversation(parleyClient({ url: killed.service, token: killed.token }));
    const family = await familyOf(killed.pid);
    running = undefined;
    killAll(family);
    expect(await survivors(family, 10_000)).toEqual([]);
    running = await startParley(data.folder);
    const client = parleyClient({ url: running.service, token: running.token });
    expect(await isGreeted(client, conversation)).toBe(true);
  });

  test("--no-install leaves the app uninstalled", async () => {
    const empty = await temporaryFolder();
    const uninstalled = await startParley(empty.folder, { args: ["--no-install"] });
    try {
      const client = parleyClient({ url: uninstalled.service, token: uninstalled.token });
      const { conversation } = await createConversation(client);
      expect(await isGreeted(client, conversation, 1_500)).toBe(false);
      expect((await fetch(uninstalled.installPage)).status).toBe(200);
    } finally {
      await uninstalled.stop();
      await empty.remove();
    }
  });
});

test("npm start works in a data folder with a space and a long path under a folder that only its owner may enter", async () => {
  const data = await temporaryFolder();
  await chmod(data.folder, 0o700);
  const deep = join(data.folder, "a folder", "x".repeat(120), ".parley");
  await mkdir(deep, { recursive: true });
  const running = await startParley(deep);
  try {
    const client = parleyClient({ url: running.service, token: running.token });
    expect(await isGreeted(client, (await createConversation(client)).conversation)).toBe(true);
  } finally {
    await running.stop();
    await data.remove();
  }
});
