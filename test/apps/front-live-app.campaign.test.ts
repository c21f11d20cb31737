import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import type { Browser, Frame, Page } from "playwright-core";
import { launchBrowser } from "../../packages/framework/test/support/browser.ts";
import {
  accessibilityViolations,
  frameOf,
  waitForExpression,
  settledState,
} from "../../packages/framework/test/front/front-fixture.ts";
import { parley, ROOT, startParley, temporaryFolder, type RunningParley } from "../support/parley-process.ts";

/** Data and effects of an app's page on the real service, through the real host. */

const SERVER = `exports = {
  hear: function (args) {
    $db.set("heard", { text: args.data.message.messages[0].message_parts[0].text.content });
  },
  add: async function (args) {
    renderData(null, await $db.get(args.key));
  },
  refuse: function () {
    renderData({ status: 422, message: "not like this" });
  },
};
`;

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let apps: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley;
let browser: Browser;
let client: ParleyClient;
let page: Page;
let frame: Frame;
beforeAll(async () => {
  [data, apps] = await Promise.all([temporaryFolder(), temporaryFolder()]);
  const folder = join(apps.folder, "front-pages");
  await cp(join(ROOT, "packages/framework/test/fixtures/front-pages"), folder, { recursive: true });
  const manifest = await readFile(join(folder, "manifest.json"), "utf8");
  const changedManifest = manifest.replace('"events": {}', '"events": { "onMessageCreate": { "handler": "hear" } }');
  await writeFile(join(folder, "manifest.json"), changedManifest);
  await writeFile(join(folder, "server/server.js"), SERVER);
  [running, browser] = await Promise.all([startParley(data.folder, { folder }), launchBrowser()]);
  client = parleyClient({ url: running.service, token: running.token });
  await write("Where is my order?");
  page = await (await browser.newContext({ bypassCSP: true })).newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(running.app);
  await log("Where is my order?").waitFor();
  frame = await frameOf(page, "index.html");
});
afterAll(async () => {
  await browser.close();
  await running.stop();
  await Promise.all([data.remove(), apps.remove()]);
});

const write = (text: string) => parley(["chat", "--once", text], { env: { PARLEY_DATA: data.folder } });
const log = (text: string) => page.locator("[data-messages]").getByText(text);
const open = () => page.locator("[data-list] [aria-current]");
const conversation = async () => {
  const id = (await open().getAttribute("data-conversation")) ?? "";
  return client.conversations.getConversation({ params: { conversation_id: id } });
};
const customer = async () => client.users.getUser({ params: { user_id: (await conversation()).user_id } });

test("client.data.get returns the service's own records", async () => {
  expect(await settledState(frame, `client.data.get("conversation")`)).toMatchObject([
    "ok",
    { conversation: await conversation() },
  ]);
  expect(await settledState(frame, `client.data.get("user")`)).toEqual(["ok", { user: await customer() }]);
  const agent = await page.locator("[data-agent]").inputValue();
  const loggedInUser = await client.agents.getAgent({ params: { agent_id: agent } });
  expect(await settledState(frame, `client.data.get("loggedInUser")`)).toMatchObject(["ok", { loggedInUser }]);
});

test("an incoming message appears on the page, and client.db reads the record that its handler stored", async () => {
  const { conversation_id, user_id } = await conversation();
  const message_parts = [{ text: { content: "It was a blue one" } }];
  await client.messages.createMessage({
    params: { conversation_id },
    body: { actor_type: "user", actor_id: user_id, message_parts },
  });
  await log("It was a blue one").waitFor();
  await waitForExpression(
    frame,
    `client.db.get("heard").then(({ text }) => text === "It was a blue one", () => false)`,
  );
});

test("a record stored with client.db is readable by a function of server/", async () => {
  await settledState(frame, `client.db.set("shelf", { n: 4 })`);
  expect(await settledState(frame, `client.request.invoke("add", { key: "shelf" })`)).toMatchObject([
    "ok",
    { response: { n: 4 } },
  ]);
});

test("client.request.invokeTemplate reaches the service with the API key, which no page contains", async () => {
  const [outcome, reply] = await settledState(frame, `client.request.invokeTemplate("listGroups", {})`);
  const { response } = reply as { response: string };
  expect([outcome, JSON.parse(response)]).toMatchObject(["ok", await client.groups.listGroups()]);
  expect(await page.content()).not.toContain(running.token);
  expect(JSON.stringify(await settledState(frame, "client.iparams.get()"))).not.toContain(running.token);
});

test("a text that the app inserts into the editor becomes a message of the service when the agent sends it", async () => {
  await frame.evaluate(`client.events.on("conversation.onSendMessage", (event) => heard.push(event.helper.getData()))`);
  await settledState(frame, `client.interface.trigger("setValue", { id: "editor", value: "It comes today" })`);
  await page.getByRole("button", { name: "Send" }).click();
  await log("It comes today").waitFor();
  const { conversation_id } = await conversation();
  const { messages } = await client.messages.listMessages({ params: { conversation_id } });
  expect(messages.map(({ actor_type, message_parts }) => [actor_type, message_parts[0]])).toContainEqual([
    "agent",
    { text: { content: "It comes today" } },
  ]);
  expect(await frame.evaluate("heard.at(-1)")).toEqual({ message: "It comes today", isPrivate: false });
  expect(await accessibilityViolations(page)).toEqual([]);
});

test("the conversation list names the customer who wrote", async () => {
  expect(await open().locator("strong").textContent()).toContain((await customer()).first_name);
});
