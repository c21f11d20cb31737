import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { FrameLocator, Locator, Page } from "playwright-core";
import { fieldOf, write } from "../../../packages/messenger/test/support/panel.ts";
import { consoleAccount } from "../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** The first minutes with a new account: an agent tries it as a customer, with Concierge as it is installed by the start. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let page: Page;
let panel: Locator;
let messenger: FrameLocator;
beforeAll(async () => {
  s = await consoleHarness({ hasConcierge: true });
  agent = await s.visit();
  ({ page } = agent);
  panel = page.getByRole("complementary", { name: "Try it as a customer" });
  messenger = panel.frameLocator("iframe");
});
afterAll(() => s.stop());

const messages = () => messenger.getByRole("region", { name: "Conversation" });
const thread = () => page.getByRole("region", { name: "Messages of the conversation" });
const open = () => page.getByRole("button", { name: "Try it as a customer" }).first().click();
/** Messages of bots in a conversation, the newest first, by the API. */
const answersOf = async (id: string) =>
  (await s.client.messages.listMessages({ params: { conversation_id: id } })).messages.filter(
    ({ actor_type }) => actor_type === "bot",
  );
/** The agent's test customers, by the API. */
const testCustomers = async () => {
  const { agent_id } = (await agent.session.workspace.getWorkspace()).agent;
  return (await s.client.users.listUsers({ query: { reference_id: `test-customer:${agent_id}` } })).users;
};

/** The steps build on each other, as an agent takes them. */
let conversationId = "";

test("an account without conversations says so, and offers to try it as a customer in the messenger", async () => {
  await agent.open("/console/inbox");
  await page.getByText("No conversations yet").waitFor();
  await page
    .getByRole("region", { name: "Conversations" })
    .getByRole("button", { name: "Try it as a customer" })
    .click();
  const { channels } = await s.client.channels.listChannels({ query: { items_per_page: 50 } });
  for (const { name } of channels.filter((each) => each.enabled && each.public))
    await messenger.getByRole("button", { name: new RegExp(`^${name}\\b`) }).waitFor();
  // The keyboard is in the messenger.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("IFRAME");
});

test("the first message begins a conversation, to which Concierge answers in the messenger and in the inbox", async () => {
  await write(messenger, "Hello, is anybody there?", "Support");
  const row = page.getByRole("grid").getByRole("row").filter({ hasText: "Test customer (" });
  await row.getByRole("link").click();
  await page.waitForURL("**/console/conversations/*");
  conversationId = page.url().split("/").at(-1)?.split("?")[0] ?? "";
  await eventually(async () => expect((await answersOf(conversationId)).length).toBeGreaterThan(0));
  const content = (await answersOf(conversationId)).at(-1)?.message_parts[0]?.text?.content ?? "";
  expect(content).not.toBe("");
  await messages().getByText(content).waitFor();
  await thread().getByText(content).waitFor();
  await thread().getByText("Hello, is anybody there?").waitFor();
});

test("a choice that Concierge offers is pressed in the messenger, and both sides show it and the next answer", async () => {
  const before = await answersOf(conversationId);
  const choice = messages().getByRole("button", { name: "I'd like to buy something" });
  await choice.click();
  await eventually(async () => expect((await answersOf(conversationId)).length).toBeGreaterThan(before.length));
  const next = (await answersOf(conversationId))[0]?.message_parts[0]?.text?.content ?? "";
  for (const side of [messages(), thread()]) {
    await side.getByText("I'd like to buy something", { exact: true }).last().waitFor();
    await side.getByText(next).last().waitFor();
  }
});

test("an agent's answer in the inbox reaches the messenger, and a private note does not", async () => {
  await page.getByText("Private note", { exact: true }).click();
  await page.getByRole("textbox", { name: "Private note, for your team only" }).fill("Only for us");
  await page.getByRole("button", { name: "Add the note" }).click();
  await thread().getByText("Only for us").waitFor();
  await page.getByRole("group", { name: "Kind of message" }).getByText("Reply").click();
  await page.getByRole("textbox", { name: "Reply to the customer" }).fill("I am here now.");
  await page.getByRole("textbox", { name: "Reply to the customer" }).press("Control+Enter");
  await messages().getByText("I am here now.").waitFor();
  expect(await messages().getByText("Only for us").count()).toBe(0);
});

test("it stays open on other pages, and after a reload the customer has its conversation, which a link opens in the inbox", async () => {
  await page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Customers" }).click();
  await messages().getByText("I am here now.").waitFor();
  await page.reload();
  await open();
  await messenger.getByRole("button", { name: /I am here now/ }).click();
  await fieldOf(messenger).fill("Still there?");
  await fieldOf(messenger).press("Enter");
  await panel.getByRole("link", { name: "Open it in the inbox" }).click();
  await page.waitForURL(`**/console/conversations/${conversationId}*`);
  expect(await testCustomers()).toHaveLength(1);
});

test("it is shown also when the account lists its sites, and begins anew as another customer", async () => {
  const account = consoleAccount(s);
  await account.apply({ messenger: { origins: ["https://shop.example"] } });
  await page.reload();
  await open();
  await messenger.getByRole("button", { name: /Still there/ }).waitFor();
  await panel.getByRole("button", { name: "Begin anew" }).click();
  await messenger.getByRole("button", { name: /Still there/ }).waitFor({ state: "detached" });
  await write(messenger, "I am somebody else", "Support");
  await eventually(async () => expect(await testCustomers()).toHaveLength(2));
  const names = (await testCustomers()).map(({ first_name, last_name }) => `${first_name} ${last_name}`);
  expect(new Set(names)).toEqual(new Set([expect.stringMatching(/^Test customer \(.+\)$/)]));
  await account.apply({ messenger: { origins: [] } });
});

test("Escape in the messenger closes it, and the focus returns to the button that opened it", async () => {
  await fieldOf(messenger).press("Escape");
  await panel.waitFor({ state: "detached" });
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Try it as a customer");
});

test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
