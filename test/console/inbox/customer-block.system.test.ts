import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MESSENGER_API, type MessengerConversation, type VisitorSession } from "@parley/contract";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../packages/framework/test/front/front-fixture.ts";
import { consoleAccount } from "../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** Agents block a visitor of the web messenger, and end the block. */

let s: ConsoleHarness;
let olivia: AgentBrowser;
let page: Page;
let visitor: VisitorSession;
let conversation: MessengerConversation;

const visit = async <T>(method: string, path: string, body: object, token?: string) => {
  const reply = await fetch(`${s.origin}${MESSENGER_API}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  return { code: reply.status, body: (await reply.json()) as T };
};
const message = (content: string) => ({ message_parts: [{ text: { content } }] });
const write = async (): Promise<number> => {
  const path = `/conversations/${conversation.id}/messages`;
  return (await visit("POST", path, message("Are you there?"), visitor.token)).code;
};

beforeAll(async () => {
  s = await consoleHarness();
  olivia = await s.visit();
  ({ page } = olivia);
  const profile = { first_name: "Vera Visitor" };
  visitor = (await visit<VisitorSession>("POST", "/sessions", { account: "acme", profile })).body;
  const begun = await visit<{ conversation: MessengerConversation }>(
    "POST",
    "/conversations",
    { topic_id: s.channelId, message: message("Buy my pills") },
    visitor.token,
  );
  ({ conversation } = begun.body);
});
afterAll(() => s.stop());

const details = () => page.getByRole("complementary", { name: "Details" });
const badge = () => page.getByText("Blocked", { exact: true });

test("an agent blocks the customer of a conversation, whose messages are refused from then on", async () => {
  expect(await write()).toBe(200);
  await olivia.open(`/console/conversations/${conversation.id}`);
  await details().getByRole("link", { name: "Vera Visitor" }).waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Block the customer" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Block Vera Visitor?" });
  await dialog.waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await write()).toBe(200);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Block the customer" }).click();
  await dialog.getByRole("button", { name: "Block" }).click();
  await page.getByText("Vera Visitor is blocked.").waitFor();
  await details().getByText("Blocked", { exact: true }).waitFor();
  await details()
    .getByText(/^Since .*, by /)
    .waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await eventually(async () => expect(await write()).toBe(403));
});

test("the page of the customer says so after a reload, and ends the block", async () => {
  await olivia.open(`/console/customers/${visitor.visitor.user_id}`);
  await badge().waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole("button", { name: "Unblock" }).click();
  await page.getByText("Vera Visitor can write again.").waitFor();
  await badge().waitFor({ state: "detached" });
  await eventually(async () => expect(await write()).toBe(200));
});

test("the palette of commands blocks a customer, too", async () => {
  await olivia.open(`/console/customers/${visitor.visitor.user_id}`);
  await page.getByRole("button", { name: "Block", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("Block the");
  await page.getByRole("option", { name: /Block the customer/ }).click();
  await page.getByRole("alertdialog", { name: "Block Vera Visitor?" }).getByRole("button", { name: "Block" }).click();
  await badge().waitFor();
});

test("an agent without a further role ends the block, too", async () => {
  const { user_id } = visitor.visitor;
  const { email } = await consoleAccount(s).agent({ name: "Arno Agent", role: "AGENT" });
  const agent = await s.visit(email);
  await agent.open(`/console/customers/${user_id}`);
  await agent.page.getByRole("button", { name: "Unblock" }).click();
  await agent.page.getByText("Vera Visitor can write again.").waitFor();
  await agent.close();
});

test("the browser reported no errors", () => {
  expect(olivia.errors).toEqual([]);
});
