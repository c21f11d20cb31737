import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import type { Invocation } from "@parley/contract";
import {
  familyOf,
  platformPidOf,
  ROOT,
  startParley,
  survivors,
  temporaryFolder,
  type RunningParley,
} from "../../../test/support/parley-process.ts";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { serverHeapOptions } from "../src/environment/heap.ts";

jest.setTimeout(90_000);

let base: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley;
let client: ParleyClient;
let adminKey: string;
beforeEach(async () => {
  base = await temporaryFolder();
  const folder = join(base.folder, "app");
  await cp(join(ROOT, "packages/framework/test/fixtures/listener"), folder, { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "listener", type: "module" }));
  const server = join(folder, "server/server.ts");
  const source = await readFile(server, "utf8");
  await writeFile(
    server,
    source.replace("await deeds[text]", 'console.info("heard <" + text + ">");\n    await deeds[text]'),
  );
  running = await startParley(join(base.folder, "data"), { folder });
  client = parleyClient({ url: new URL(running.service).origin, token: running.token });
  adminKey = (await readFile(join(base.folder, "data", "admin-key"), "utf8")).trim();
});
afterEach(async () => {
  await running.stop();
  await base.remove();
});

/** Id of the process that runs the app hosts. */
const platformPid = () => platformPidOf(running.pid);

const conversation = async () => {
  const { id: user } = await client.users.createUser({ body: { first_name: "Sam" } });
  const { channels } = await client.channels.listChannels({ query: {} });
  const actor = { actor_type: "user" as const, actor_id: user };
  const { conversation_id } = await client.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user }],
      messages: [{ ...actor, message_parts: [{ text: { content: "first" } }] }],
    },
  });
  const write = (content: string) =>
    client.messages.createMessage({
      params: { conversation_id },
      body: { ...actor, message_parts: [{ text: { content } }] },
    });
  return { write };
};

const admin = (url: string, init: RequestInit = {}) =>
  fetch(url, {
    ...init,
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
  });

const textOf = ({ payload }: Invocation): string =>
  (payload as { data: { message: { messages: { message_parts: { text: { content: string } }[] }[] } } }).data.message
    .messages[0]?.message_parts[0]?.text.content ?? "";

/** Calls of the message handler that succeeded. */
const handled = async (): Promise<readonly Invocation[]> => {
  const reply = await admin(`${running.app}/admin/invocations?event=onMessageCreate&limit=500`).catch(() => undefined);
  if (!reply?.ok) return [];
  return ((await reply.json()) as { invocations: Invocation[] }).invocations.filter(({ ok }) => ok);
};

const until = <T>(read: () => Promise<T>, isReached: (value: T) => boolean): Promise<Exclude<T, undefined | false>> => {
  const reached = async () => {
    const value = await read();
    return isReached(value) ? value : undefined;
  };
  return waitUntil<T | undefined>(reached, { details: () => running.output.stderr });
};

test("when the platform process is killed while events arrive, it runs again on the same port and handles every event, under one id", async () => {
  const { write } = await conversation();
  const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
  const before = await platformPid();
  for (const [index, text] of texts.entries()) {
    await write(text);
    if (index === 20) process.kill(before, "SIGKILL");
  }
  // The app's log is the measure: the record of a call that ended just before the kill may be missing.
  const missing = () => Promise.resolve(texts.filter((text) => !running.output.stderr.includes(`heard <${text}>`)));
  await until(missing, (left) => left.length === 0);
  const calls = await handled();
  for (const text of texts) {
    const sources = new Set(calls.filter((call) => textOf(call) === text).map(({ source }) => source));
    expect(sources.size).toBeLessThanOrEqual(1);
  }
  expect(running.output.stderr).toContain("The process of the apps ended (SIGKILL)");
  expect(running.output.stderr).toContain("The process of the apps runs again.");
  expect(await platformPid()).not.toBe(before);
});

test("when the process of the instance is killed, no process is left", async () => {
  const { write } = await conversation();
  await write("loop");
  await waitUntil(() => running.output.stderr.includes("heard <loop>"));
  const family = await familyOf(running.pid);
  expect(family).toContain(await platformPid());
  process.kill(running.pid, "SIGKILL");
  expect(await survivors(family, 5_000)).toEqual([]);
});

test("the API answers while the platform process is stopped, and the events are handled when it continues", async () => {
  const { write } = await conversation();
  const pid = await platformPid();
  process.kill(pid, "SIGSTOP");
  try {
    for (let index = 0; index < 20; index += 1) await write(`stopped ${index}`);
    expect((await client.users.listUsers({ query: { first_name: "Sam" } })).users.length).toBeGreaterThan(0);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  await until(handled, (all) => all.filter((call) => textOf(call).startsWith("stopped")).length === 20);
});

test("the apps follow the clock of the instance: after a change, a restart of their process and a reset", async () => {
  const administer = async (method: string, path: string, body?: object) => {
    const url = `${new URL(running.service).origin}/admin/world${path}`;
    const reply = await admin(url, { method, ...(body && { body: JSON.stringify(body) }) });
    expect(reply.status).toBe(200);
  };
  const beginOf = async (text: string) => {
    const { write } = await conversation();
    await write(text);
    const calls = await until(handled, (all) => all.some((call) => textOf(call) === text));
    return calls.find((call) => textOf(call) === text)?.begun;
  };
  // Within the lifetime of the token.
  const time = new Date(Date.now() + 7_200_000).toISOString();
  await administer("PUT", "/clock", { action: "freeze", time });
  expect(await beginOf("frozen")).toBe(time);
  process.kill(await platformPid(), "SIGKILL");
  expect(await beginOf("frozen after a restart")).toBe(time);
  await administer("POST", "/reset");
  const begun = (await beginOf("after the reset")) ?? "";
  expect(Date.parse(begun)).toBeLessThan(Date.parse(time));
});

test("the platform's process has the options of a server", async () => {
  const command = await readFile(`/proc/${await platformPid()}/cmdline`, "utf8");
  const options = serverHeapOptions().filter((option) => !process.execArgv.includes(option));
  expect(options.length).toBeGreaterThan(0);
  expect(command.split("\0")).toEqual(expect.arrayContaining(options));
});
