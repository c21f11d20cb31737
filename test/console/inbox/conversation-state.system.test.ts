import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** What an agent changes of the state of one conversation, and takes back. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let page: Page;
let agentId: string;

beforeAll(async () => {
  s = await consoleHarness();
  agent = await s.visit();
  ({ page } = agent);
  agentId = (await agent.session.workspace.getWorkspace()).agent.agent_id;
});
afterAll(() => s.stop());

const toast = (text: string): Locator =>
  page.getByRole("region", { name: "Notices" }).getByRole("listitem").filter({ hasText: text });
const conversationOf = (id: string) => s.client.conversations.getConversation({ params: { conversation_id: id } });

/** Begins a conversation and opens it. */
const openNew = async (name: string) => {
  const begun = await s.beginConversation(name, `Hello from ${name}`);
  await agent.open(`/console/conversations/${begun.id}`);
  await page.getByText(`Hello from ${name}`).first().waitFor();
  return begun;
};

test("resolving asks for the required properties first, and reopening needs no properties", async () => {
  const { id } = await openNew("Rolf Required");
  await s.client.conversations.updateConversation({
    params: { conversation_id: id },
    body: { properties: { priority: "" } },
  });
  await agent.open(`/console/conversations/${id}`);
  await page.getByRole("button", { name: "Resolve", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Complete the conversation" });
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await dialog.getByText("Give a value.").waitFor();
  expect((await conversationOf(id)).status).toBe("new");
  await dialog.getByRole("button", { name: /Priority/ }).click();
  await page.getByRole("option", { name: "High" }).click();
  await dialog.getByRole("button", { name: "Resolve" }).click();
  await dialog.waitFor({ state: "detached" });
  await eventually(async () =>
    expect(await conversationOf(id)).toMatchObject({ status: "resolved", properties: { priority: "High" } }),
  );
  await toast("Conversation resolved.").waitFor();
  await page.getByRole("button", { name: "Reopen", exact: true }).click();
  await eventually(async () => expect((await conversationOf(id)).status).not.toBe("resolved"));
  await page.getByRole("button", { name: "Resolve", exact: true }).waitFor();
});

test("resolving can be undone", async () => {
  const { id } = await openNew("Uwe Undo");
  await s.client.conversations.updateConversation({
    params: { conversation_id: id },
    body: { status: "assigned", assigned_agent_id: agentId, properties: { priority: "Low" } },
  });
  await page.getByRole("button", { name: /^Agent: Olivia/ }).waitFor();
  await page.getByRole("button", { name: "Resolve", exact: true }).click();
  await eventually(async () => expect((await conversationOf(id)).status).toBe("resolved"));
  await toast("Conversation resolved.").last().getByRole("button", { name: "Undo" }).click();
  await eventually(async () =>
    expect(await conversationOf(id)).toMatchObject({ status: "assigned", assigned_agent_id: agentId }),
  );
});

test("an agent and a group are assigned, and each assignment can be undone", async () => {
  const { id } = await openNew("Anna Assign");
  await page.getByRole("button", { name: "Agent: Nobody" }).click();
  await page.getByRole("option", { name: /Noah Lindqvist/ }).click();
  await page.getByRole("button", { name: "Agent: Noah Lindqvist" }).waitFor();
  const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 50 } });
  const noah = agents.find(({ email }) => email === "noah@acme.example")?.id;
  await eventually(async () =>
    expect(await conversationOf(id)).toMatchObject({ status: "assigned", assigned_agent_id: noah }),
  );
  await toast("Assigned to Noah Lindqvist.").getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Agent: Nobody" }).waitFor();
  await eventually(async () => expect((await conversationOf(id)).assigned_agent_id || undefined).toBeUndefined());

  await page.getByRole("button", { name: "Group: No group" }).click();
  await page.getByRole("option", { name: "Billing" }).click();
  const { groups } = await s.client.groups.listGroups();
  const billing = groups.find(({ name }) => name === "Billing")?.id;
  await eventually(async () => expect((await conversationOf(id)).assigned_group_id).toBe(billing));
  await toast("Assigned to the group Billing.").getByRole("button", { name: "Undo" }).click();
  await eventually(async () => expect((await conversationOf(id)).assigned_group_id || undefined).toBeUndefined());
});

test("keys assign the agent whose name begins with the typed text, before those that contain it elsewhere", async () => {
  const { id } = await openNew("Hans Haste");
  const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 50 } });
  const hannah = agents.find(({ email }) => email === "hannah@acme.example");
  await page.keyboard.press("a");
  const field = page.getByRole("searchbox", { name: "Agent" });
  await field.pressSequentially("han");
  await eventually(async () =>
    expect(await page.getByRole("option").allInnerTexts()).toEqual([
      expect.stringContaining("Hannah Weber"),
      expect.stringContaining("Aisha Khan"),
    ]),
  );
  await field.press("Enter");
  await page.getByRole("button", { name: "Agent: Hannah Weber" }).waitFor();
  await eventually(async () => expect((await conversationOf(id)).assigned_agent_id).toBe(hannah?.id));
});

test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
