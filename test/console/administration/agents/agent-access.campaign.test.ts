import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Secret, TOTP } from "otpauth";
import type { Page } from "playwright-core";
import { consoleAccount, type ConsoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** What the page of an agent does to its sign-in, and which roles may do it. */

let s: ConsoleHarness;
let account: ConsoleAccount;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  account = consoleAccount(s);
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const openAgent = async (id: string, browser: AgentBrowser = owner) => {
  await browser.open(`/console/admin/agents/${id}`);
  await browser.page.getByRole("region", { name: "Conversations" }).waitFor();
};
const idOf = async (email: string) => {
  const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 100 } });
  return agents.find((agent) => agent.email === email)?.id ?? "";
};
const agentOf = (agent_id: string) => s.client.agents.getAgent({ params: { agent_id } });
const confirm = (action: string) => page.getByRole("alertdialog").getByRole("button", { name: action }).click();
const isSignedOut = (agent: AgentBrowser) =>
  eventually(() => expect(agent.session.sessions.getSession()).rejects.toMatchObject({ problem: { code: 401 } }));

test("a deactivated agent is signed out and can't sign in, and an activated one can again", async () => {
  const { id, email } = await account.agent({ name: "Dora Deactivated" });
  const agent = await s.visit(email);
  await openAgent(id);
  await page.getByRole("button", { name: "Deactivate" }).click();
  await confirm("Deactivate");
  await page.getByText("Dora Deactivated is deactivated.").waitFor();
  await isSignedOut(agent);
  await agent.open("/console/inbox");
  await agent.page.waitForURL("**/sign-in?**");
  await expect(s.visit(email)).rejects.toThrow("no active agent");
  // A link would be of no use.
  expect(await page.getByRole("button", { name: "Send an invitation" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Activate" }).click();
  await page.getByText("Dora Deactivated is active.").waitFor();
  expect((await agentOf(id)).is_deactivated).toBe(false);
  await (await s.visit(email)).close();
  await agent.close();
});

test("a deleted agent is gone once its name was typed, and its open conversation has no agent any more", async () => {
  const { id, email } = await account.agent({ name: "Dan Deleted" });
  const agent = await s.visit(email);
  const conversation = await s.beginConversation("Una Unassigned", "Hello");
  await account.change(conversation.id, { assigned_agent_id: id, status: "assigned" });
  await openAgent(id);
  await page.getByRole("button", { name: "Delete" }).click();
  const dialog = page.getByRole("alertdialog");
  const action = dialog.getByRole("button", { name: "Delete" });
  await dialog.getByRole("textbox").fill("Dan Delete");
  expect(await action.isDisabled()).toBe(true);
  await dialog.getByRole("textbox").fill("Dan Deleted");
  await action.click();
  await page.waitForURL("**/console/admin/agents");
  await page.getByRole("table", { name: "Agents" }).waitFor();
  expect(await page.getByRole("link", { name: "Dan Deleted" }).count()).toBe(0);
  await expect(agentOf(id)).rejects.toMatchObject({ problem: { status: "AGENT_NOT_FOUND" } });
  await isSignedOut(agent);
  await eventually(async () => {
    const params = { conversation_id: conversation.id };
    const { status, assigned_agent_id } = await s.client.conversations.getConversation({ params });
    expect([status, assigned_agent_id || undefined]).toEqual(["new", undefined]);
  });
  await owner.open(`/console/admin/agents/${id}`);
  await page.getByText("There is no such agent").waitFor();
  await agent.close();
});

test("the sessions of an agent are listed with the browser, and all end together", async () => {
  const { id, email } = await account.agent({ name: "Sena Sessions" });
  const [one, two] = [await s.visit(email), await s.visit(email)];
  await openAgent(id);
  const table = page.getByRole("table", { name: "Sessions" });
  await table.waitFor();
  expect(await table.getByRole("rowheader", { name: /^Chrome/ }).count()).toBe(2);
  expect(await table.getByRole("cell", { name: "127.0.0.1" }).count()).toBe(2);
  await page.getByRole("button", { name: "End all sessions" }).click();
  await confirm("End all sessions");
  await page.getByText("The agent is not signed in anywhere.").waitFor();
  await Promise.all([one, two].map(isSignedOut));
  expect((await agentOf(id)).login_status).toBe(false);
  await Promise.all([one, two].map((each) => each.close()));
});

test("a second factor that the agent lost is removed, and its sessions end", async () => {
  const { id, email } = await account.agent({ name: "Fay Factor" });
  const agent = await s.visit(email);
  const { secret } = await agent.session.sessions.beginSecondFactor({ body: {} });
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await agent.session.sessions.confirmSecondFactor({ body: { code } });
  expect((await agent.session.sessions.getSession()).has_second_factor).toBe(true);
  await openAgent(id);
  await page.getByRole("button", { name: "Remove the second factor" }).click();
  await confirm("Remove the second factor");
  await page.getByText("Fay Factor has no second factor any more.").waitFor();
  await isSignedOut(agent);
  const again = await s.visit(email);
  expect((await again.session.sessions.getSession()).has_second_factor).toBe(false);
  await Promise.all([agent, again].map((each) => each.close()));
});

test("a link for a new password is shown where no mail server is configured, and sets the password", async () => {
  const { id } = await account.agent({ name: "Petra Password" });
  await openAgent(id);
  await page.getByRole("button", { name: "Reset the password" }).click();
  const link = await page.getByRole("dialog").getByRole("textbox", { name: "Link" }).inputValue();
  const context = await s.browser.newContext();
  const other = await context.newPage();
  await other.goto(link);
  await other.getByRole("heading", { name: "Choose a new password" }).waitFor();
  await other.locator("#new-password").fill("another sentence nobody guesses");
  await other.getByRole("button", { name: "Save and sign in" }).click();
  await other.waitForURL("**/console/**");
  await context.close();
});

test("the status that an admin chooses is the agent's, with its availability", async () => {
  const { id } = await account.agent({ name: "Stan Status" });
  await openAgent(id);
  await page.getByRole("button", { name: /Status/ }).click();
  await page.getByRole("option", { name: "At lunch" }).click();
  await page.getByText("Stan Status has the status At lunch.").waitFor();
  const { agent_status, availability_status } = await agentOf(id);
  expect([agent_status?.name, availability_status]).toEqual(["At lunch", "UNAVAILABLE"]);
});

describe("by role", () => {
  test("nobody takes the own access away: role, scope, deactivation and deletion are for another admin", async () => {
    await openAgent(await idOf("olivia@acme.example"));
    await page.getByText("You can’t deactivate or delete yourself.").waitFor();
    await page.getByText("You change your own password and second factor on your profile").waitFor();
    expect(await page.getByRole("link", { name: "Open your profile" }).getAttribute("href")).toBe("/profile");
    expect(await page.getByRole("button", { name: /Deactivate|Delete|Reset|End all|second factor/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Change the profile" }).click();
    expect(await page.getByRole("dialog").getByRole("button", { name: /Role/ }).isDisabled()).toBe(true);
    await page.getByRole("dialog").getByText("You can’t change your own role.").waitFor();
    expect(await page.getByRole("dialog").getByRole("textbox", { name: "E-mail address" }).isEditable()).toBe(false);
    await page.getByRole("dialog").getByText("You can’t change your own e-mail address").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Change scope and capacity" }).click();
    expect(await page.getByRole("dialog").getByRole("button", { name: /Scope/ }).isDisabled()).toBe(true);
    await page.getByRole("dialog").getByText("You can’t change your own scope.").waitFor();
    await page.getByRole("dialog").getByRole("textbox", { name: "Capacity" }).fill("7");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await page.getByRole("definition").filter({ hasText: "7" }).waitFor();
  });

  test("an admin changes no account admin, gives no such role, and invites an admin", async () => {
    const { email } = await account.agent({ name: "Ada Admin", role: "ADMIN" });
    const admin = await s.visit(email);
    await openAgent(await idOf("olivia@acme.example"), admin);
    await admin.page.getByText("This agent has the role Account admin, which is higher than yours.").waitFor();
    expect(await admin.page.getByRole("main").getByRole("button").count()).toBe(0);
    await admin.open("/console/admin/agents");
    await admin.page.getByRole("button", { name: "New agent" }).click();
    const dialog = admin.page.getByRole("dialog");
    await dialog.getByRole("button", { name: /Role/ }).click();
    expect(await admin.page.getByRole("option", { name: "Account admin", exact: true }).count()).toBe(0);
    await admin.page.getByRole("option", { name: "Admin", exact: true }).click();
    await dialog.getByRole("textbox", { name: "E-mail address" }).fill("second.admin@agents.example");
    await dialog.getByRole("button", { name: "Create and invite" }).click();
    await dialog.getByRole("textbox", { name: "Link" }).waitFor();
    expect((await agentOf(await idOf("second.admin@agents.example"))).role_id).toBe("ADMIN");
    expect(admin.errors).toEqual([]);
    await admin.close();
  });

  test.each(["AGENT", "SUPER_USER"] as const)(
    "an agent with the role %s has neither the list nor a page",
    async (role) => {
      const { id, email } = await account.agent({ name: `Nina ${role}`, role });
      const agent = await s.visit(email);
      for (const path of ["/console/admin/agents", `/console/admin/agents/${id}`]) {
        await agent.open(path);
        await agent.page.getByText("Your role may not see this page").waitFor();
      }
      expect(agent.requests.filter((request) => request.includes(" /admin/"))).toEqual([]);
      const params = { account: "acme", agent_id: id };
      await expect(agent.administration.admin.listAgentSessions({ params })).rejects.toMatchObject({
        problem: { code: 403 },
      });
      await agent.close();
    },
  );
});

test("the browser reported no errors but the page of the deleted agent", () => {
  expect(owner.errors.filter((error) => !error.includes("404"))).toEqual([]);
});
