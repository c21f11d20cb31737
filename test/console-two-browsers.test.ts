import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "./console-harness.ts";
import { interruptibleProxy } from "./interruptible-proxy.ts";

/** Agents on one conversation, tabs of one browser, and interrupted connections. */

let s: ConsoleHarness;
let colleague: string;
beforeAll(async () => {
  s = await consoleHarness({ args: ["--no-install"] });
  const { agents } = await s.client.agents.listAgents({ query: { is_deactivated: false, items_per_page: 100 } });
  colleague = agents.find(({ role_id, scope }) => role_id === "AGENT" && scope === "Global")?.email ?? "";
  if (colleague === "") {
    const { email } = await s.client.agents.createAgent({
      body: { email: "colleague@acme.example", first_name: "Casey", role_id: "ADMIN" },
    });
    colleague = email;
  }
}, 120_000);
afterAll(() => s.stop());

const STREAM = "GET /console/api/stream";
const threadOf = (page: Page) => page.getByRole("region", { name: "Messages of the conversation" });
/** Texts of the thread that begin with a word, in their order. */
const textsOf = async (page: Page, word: string): Promise<string[]> =>
  (await threadOf(page).innerText()).match(new RegExp(`${word} \\d+`, "g")) ?? [];
const numbered = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`);
const openConversation = async ({ page }: AgentBrowser, id: string): Promise<void> => {
  await page.goto(`${s.origin}/console/conversations/${id}`);
  await threadOf(page).waitFor();
};

test("two agents on one conversation see that the other one is there and writes, and each other's messages and changes", async () => {
  const { id } = await s.beginConversation("Two Agents", "Who answers me?");
  const [first, second] = [await s.visit(), await s.visit(colleague)];
  await openConversation(first, id);
  await openConversation(second, id);
  await first.page.getByText(/^Also here: /).waitFor();
  await second.page.getByText(/^Also here: /).waitFor();

  const composer = second.page.getByRole("textbox", { name: "Reply to the customer" });
  await composer.pressSequentially("I will");
  await first.page.getByText(/^Writing: /).waitFor();
  await composer.pressSequentially(" do it");
  await composer.press("Enter");
  await threadOf(first.page).getByText("I will do it").waitFor();
  await threadOf(second.page).getByText("I will do it").waitFor();

  await second.page.getByRole("button", { name: "Resolve" }).click();
  const confirm = second.page.getByRole("dialog");
  if (await confirm.isVisible().catch(() => false)) await confirm.getByRole("button", { name: "Resolve" }).click();
  await eventually(async () => {
    const { status } = await s.client.conversations.getConversation({ params: { conversation_id: id } });
    expect(status).toBe("resolved");
  });
  await first.page.getByRole("button", { name: "Reopen" }).first().waitFor();

  await second.close();
  await first.page.getByText(/^Also here: /).waitFor({ state: "detached" });
  expect(first.errors).toEqual([]);
  await first.close();
});

test("a browser whose network was interrupted says so, and then shows what happened, once each and in order", async () => {
  const conversation = await s.beginConversation("Off Line", "Are you there?");
  const network = await interruptibleProxy();
  const [cut, online] = [
    await s.visit(undefined, { proxy: { server: network.origin, bypass: "<-loopback>" } }),
    await s.visit(colleague),
  ];
  for (const agent of [cut, online]) await openConversation(agent, conversation.id);
  await conversation.write("online 0");
  await threadOf(cut.page).getByText("online 0").waitFor();

  network.interrupt();
  await cut.page.getByText(/^No connection\./).waitFor();
  for (const text of numbered("missed", 8)) await conversation.write(text);
  await threadOf(online.page).getByText("missed 7").waitFor();
  expect(await textsOf(cut.page, "missed")).toEqual([]);

  network.restore();
  await threadOf(cut.page).getByText("missed 7").waitFor({ timeout: 60_000 });
  await cut.page.getByText(/^No connection\./).waitFor({ state: "detached" });
  await conversation.write("online 1");
  for (const { page } of [cut, online]) await threadOf(page).getByText("online 1").waitFor();
  expect(await textsOf(cut.page, "missed")).toEqual(numbered("missed", 8));
  await cut.close();
  await online.close();
  await network.close();
}, 120_000);

test("tabs of a browser share one connection, and another tab takes over when the first one is closed", async () => {
  const conversation = await s.beginConversation("Three Tabs", "Hello");
  const agent = await s.visit();
  await agent.open("/console/inbox");
  await agent.page.getByRole("row").first().waitFor();
  const path = `/console/conversations/${conversation.id}`;
  const [second, third] = [await agent.tab(path), await agent.tab(path)];
  for (const page of [second, third]) await threadOf(page).getByText("Hello").waitFor();
  const streams = () => agent.requests.filter((request) => request === STREAM).length;
  // The sign-in led to the console once, and the first tab was opened anew.
  const before = streams();
  await conversation.write("shared 0");
  for (const page of [second, third]) await threadOf(page).getByText("shared 0").waitFor();
  expect(streams()).toBe(before);

  await agent.page.close();
  await eventually(async () => expect(streams()).toBe(before + 1));
  for (const text of numbered("taken", 5)) await conversation.write(text);
  for (const page of [second, third]) {
    await threadOf(page).getByText("taken 4").waitFor();
    expect(await textsOf(page, "taken")).toEqual(numbered("taken", 5));
  }
  expect(streams()).toBe(before + 1);
  await agent.close();
}, 120_000);

test("an idle page requests nothing", async () => {
  const { id } = await s.beginConversation("Idle Page", "Hello");
  const agent = await s.visit();
  await openConversation(agent, id);
  // What follows the first reading has been requested.
  await agent.page.waitForTimeout(5_000);
  const before = agent.requests.length;
  await agent.page.waitForTimeout(15_000);
  expect(agent.requests.slice(before)).toEqual([]);
  await agent.close();
}, 60_000);
