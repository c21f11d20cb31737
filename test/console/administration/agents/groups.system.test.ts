import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount, type ConsoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The page of groups: its settings decide which agent gets a conversation. */

let s: ConsoleHarness;
let account: ConsoleAccount;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  [account, owner] = [consoleAccount(s), await s.visit()];
  ({ page } = owner);
});
afterAll(() => s.stop());

const table = () => page.getByRole("table", { name: "Groups and routing" });
const row = (name: string) =>
  table()
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name: new RegExp(`^${name}`) }) });
const openPage = async () => {
  await owner.open("/console/admin/groups");
  await table().waitFor();
};
const groupOf = async (name: string) =>
  (await s.client.groups.listGroups({ query: { items_per_page: 100 } })).groups.find((group) => group.name === name);
const save = async () => {
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
};

describe("a group", () => {
  test("is created, changed and deleted, as the API says", async () => {
    await openPage();
    await page.getByRole("button", { name: "New group" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("  Night shift ");
    await page.getByRole("textbox", { name: "Description" }).fill("After ten");
    await page.getByRole("radio", { name: /^In turn/ }).check({ force: true });
    await save();
    await row("Night shift").getByText("In turn").waitFor();
    const created = await groupOf("Night shift");
    expect(created).toMatchObject({
      description: "After ten",
      routing_type: "INTELLIASSIGN",
      routing_logic: "ROUND_ROBIN",
    });
    await row("Night shift").getByRole("button", { name: "Change Night shift" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Late shift");
    await page.getByRole("radio", { name: /^Off/ }).check({ force: true });
    await save();
    await row("Late shift").getByText("Off").waitFor();
    expect(await groupOf("Late shift")).toMatchObject({ id: created?.id, routing_type: "DISABLED" });
    await row("Late shift").getByRole("button", { name: "Delete Late shift" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete Late shift" }).click();
    await row("Late shift").waitFor({ state: "detached" });
    expect(await groupOf("Late shift")).toBeUndefined();
  });

  test("without a name, or with that of another group, is refused at the field", async () => {
    await openPage();
    const before = (await s.client.groups.listGroups()).pagination.total_items;
    await page.getByRole("button", { name: "New group" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Give the group a name.").waitFor();
    await dialog.getByRole("textbox", { name: "Name" }).fill("Sales");
    await dialog.getByText("Another group has this name.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect((await s.client.groups.listGroups()).pagination.total_items).toBe(before);
  });

  test("with agents is not deleted, and the dialog says what to do first", async () => {
    await openPage();
    await row("Support").getByRole("button", { name: "Delete Support" }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByRole("button", { name: "Delete Support" }).click();
    await dialog.getByRole("alert").getByText("Take the agent out first").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await row("Support").waitFor();
  });

  test("that a command creates is on the page, and another admin's change is not undone by a change on the page", async () => {
    await account.apply({ groups: [{ name: "Depot", description: "Parcels" }] });
    await openPage();
    await row("Depot").getByText("Parcels").waitFor();
    await row("Depot").getByRole("button", { name: "Change Depot" }).click();
    await account.apply({ groups: [{ name: "Workshop" }] });
    await page.getByRole("textbox", { name: "Description" }).fill("Parcels and pallets");
    await save();
    await row("Workshop").waitFor();
    expect(await groupOf("Depot")).toMatchObject({ description: "Parcels and pallets" });
  });
});

test("automatic assignment that is turned on here fills an agent's capacity, and the conversation says why", async () => {
  await account.apply({ groups: [{ name: "Express", routing_type: "INTELLIASSIGN", routing_logic: "LOAD" }] });
  // Eve is not signed in: a new group waits for agents who are.
  await openPage();
  await row("Express").getByText("Only to agents who are signed in").waitFor();
  await row("Express").getByRole("button", { name: "Change Express" }).click();
  await page.getByRole("checkbox", { name: /^Only to agents who are signed in/ }).uncheck({ force: true });
  await save();
  await row("Express").getByText("Only to agents who are signed in").waitFor({ state: "detached" });
  const group = await account.group("Express");
  const { id: agent } = await account.agent({ name: "Eve Express", groups: [group] });
  await owner.administration.admin.changeAgentSettings({
    params: { account: "acme", agent_id: agent },
    body: { agent_capacity: 1 },
  });
  const [first, second] = [await s.beginConversation("Fay", "First"), await s.beginConversation("Gus", "Second")];
  for (const { id } of [first, second]) await account.change(id, { assigned_group_id: group });
  const agentOf = async (conversation_id: string) =>
    (await s.client.conversations.getConversation({ params: { conversation_id } })).assigned_agent_id;
  await openPage();
  await row("Express").getByText("Automatic assignment is off for the account").waitFor();
  expect([await agentOf(first.id), await agentOf(second.id)].filter(Boolean)).toEqual([]);
  await page.getByText("Assign conversations automatically").click();
  await row("Express").getByText("Automatic assignment is off for the account").waitFor({ state: "detached" });
  await eventually(async () => expect(await agentOf(first.id)).toBe(agent));
  expect(await agentOf(second.id)).toBeFalsy();
  await owner.open(`/console/conversations/${first.id}`);
  await page
    .getByText(/Assigned automatically to Eve Express on .* of the available agents of Express.*0 of 1 conversations/)
    .waitFor();
  await account.change(first.id, { status: "resolved" });
  await eventually(async () => expect(await agentOf(second.id)).toBe(agent));
});

test("the browser reported no errors besides the refused deletion", () => {
  expect(owner.errors.filter((error) => !error.includes("409"))).toEqual([]);
});
