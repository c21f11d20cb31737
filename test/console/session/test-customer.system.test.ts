import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** The first minutes with a new account: an agent tries it as a customer, with Concierge as it is installed by the start. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let page: Page;
let panel: Locator;
let inPanel: Locator;
beforeAll(async () => {
  s = await consoleHarness({ hasConcierge: true });
  agent = await s.visit();
  ({ page } = agent);
  panel = page.getByRole("complementary", { name: "Try it as a customer" });
  inPanel = panel.getByRole("log", { name: "Messages" });
});
afterAll(() => s.stop());

/** Text of the newest message of a bot in the conversation, by the API. */
const answersOf = async (id: string) => {
  const { messages } = await s.client.messages.listMessages({ params: { conversation_id: id } });
  return messages.filter(({ actor_type }) => actor_type === "bot").toReversed();
};

/** The steps build on each other, as an agent takes them. */
let conversationId = "";

test("an account without conversations says so, and offers to try it as a customer", async () => {
  await agent.open("/console/inbox");
  await page.getByText("No conversations yet").waitFor();
  const counts = await agent.session.inbox.countInbox();
  expect(counts.open + counts.resolved).toBe(0);
  await page
    .getByRole("region", { name: "Conversations" })
    .getByRole("button", { name: "Try it as a customer" })
    .click();
  await panel.waitFor();
  expect(
    await panel
      .getByRole("textbox", { name: "Your message as the customer" })
      .evaluate((field) => field === document.activeElement),
  ).toBe(true);
});

test("the enabled topics can be chosen, with the welcome message of the chosen topic", async () => {
  await panel.getByRole("button", { name: /Topic/ }).click();
  const offered = await page.getByRole("option").allTextContents();
  const { channels } = await s.client.channels.listChannels({ query: { items_per_page: 50 } });
  const enabled = channels.filter((channel) => channel.enabled).map(({ name }) => name);
  expect(offered.toSorted()).toEqual(enabled.toSorted());
  await page.getByRole("option", { name: "Support" }).click();
  await inPanel.getByText("Tell us what isn't working and we'll put it right.").waitFor();
});

test("the first message begins a conversation of the topic, to which Concierge answers in the panel and in the inbox", async () => {
  await panel.getByRole("textbox").fill("Hello, is anybody there?");
  await panel.getByRole("button", { name: "Send" }).click();
  await inPanel.getByText("Hello, is anybody there?").waitFor();
  const row = page.getByRole("grid").getByRole("row").filter({ hasText: "Support" });
  await row.waitFor();
  const { conversation } = await agent.session.testCustomer.getTestCustomer();
  conversationId = conversation?.conversation_id ?? "";
  await eventually(async () => expect((await answersOf(conversationId)).length).toBeGreaterThan(0));
  const [answer] = await answersOf(conversationId);
  const content = answer?.message_parts[0]?.text?.content ?? "";
  expect(content).not.toBe("");
  await inPanel.getByText(content).waitFor();
  await row.getByRole("link").click();
  const thread = page.getByRole("region", { name: "Messages of the conversation" });
  await thread.getByText(content).waitFor();
  await thread.getByText("Hello, is anybody there?").waitFor();
});

test("a choice that Concierge offers is answered by a press, and both sides show the choice and the next answer", async () => {
  const thread = page.getByRole("region", { name: "Messages of the conversation" });
  const choices = inPanel.getByRole("list", { name: "Choose an answer" });
  await choices.waitFor();
  const before = await answersOf(conversationId);
  const first = choices.getByRole("button").first();
  const label = (await first.textContent()) ?? "";
  await first.click();
  await eventually(async () => expect((await answersOf(conversationId)).length).toBeGreaterThan(before.length));
  const { messages } = await s.client.messages.listMessages({ params: { conversation_id: conversationId } });
  const choice = messages.find(({ actor_type, in_reply_to }) => actor_type === "user" && in_reply_to !== undefined);
  expect(before.map(({ id }) => id)).toContain(choice?.in_reply_to?.message_id);
  const next = (await answersOf(conversationId)).at(-1)?.message_parts[0]?.text?.content ?? "";
  const text = choice?.message_parts[0]?.text?.content ?? label;
  for (const side of [inPanel, thread]) {
    await side.getByText(text, { exact: true }).last().waitFor();
    await side.getByText(next).last().waitFor();
  }
});

test("an agent's answer in the inbox reaches the panel, and a private note does not", async () => {
  const thread = page.getByRole("region", { name: "Messages of the conversation" });
  await page.getByText("Private note", { exact: true }).click();
  await page.getByRole("textbox", { name: "Private note, for your team only" }).fill("Only a trial");
  await page.getByRole("button", { name: "Add the note" }).click();
  await thread.getByText("Only a trial").waitFor();
  await page.getByRole("group", { name: "Kind of message" }).getByText("Reply").click();
  await page.getByRole("textbox", { name: "Reply to the customer" }).fill("I am here now.");
  await page.getByRole("textbox", { name: "Reply to the customer" }).press("Control+Enter");
  await inPanel.getByText("I am here now.").waitFor();
  expect(await inPanel.getByText("Only a trial").count()).toBe(0);
});

test("the panel stays open on other pages, begins new conversations, and keeps the latest after a reload", async () => {
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Customers" }).click();
  await inPanel.getByText("I am here now.").waitFor();
  await panel.getByRole("button", { name: "New conversation" }).click();
  await panel.getByRole("textbox").fill("Another question");
  await panel.getByRole("textbox").press("Enter");
  await inPanel.getByText("Another question").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Try it as a customer" }).first().click();
  await inPanel.getByText("Another question").waitFor();
  await panel.getByRole("link", { name: "Open it in the inbox" }).click();
  await page.waitForURL("**/console/conversations/*");
  expect(page.url()).not.toContain(conversationId);
  const { users } = await s.client.users.listUsers({
    query: { reference_id: `console-trial:${(await agent.session.workspace.getWorkspace()).agent.agent_id}` },
  });
  expect(users).toHaveLength(1);
});

test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
