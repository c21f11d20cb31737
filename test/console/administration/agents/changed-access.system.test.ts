import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AgentRole } from "@parley/contract";
import { consoleAccount, type ConsoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";
import { expectText, signInDialog } from "../../support/unsaved.ts";

/** Pages of the administration of an admin without conversations, and while the agent's role, scope or session changes. */

let s: ConsoleHarness;
let account: ConsoleAccount;
let owner: AgentBrowser;

beforeAll(async () => {
  s = await consoleHarness();
  account = consoleAccount(s);
  owner = await s.visit();
});
afterAll(() => s.stop());

const setRole = (agent_id: string, role_id: AgentRole) =>
  owner.session.agents.updateAgent({ params: { agent_id }, body: { role_id } });
const setScope = (agent_id: string, scope: "None" | "Global") =>
  owner.administration.admin.changeAgentSettings({ params: { account: "acme", agent_id }, body: { scope } });
const refusal = (agent: AgentBrowser) => agent.page.getByText("Your role may not see this page");

test("an admin with the scope None has all pages of the administration, and no conversations", async () => {
  const { email } = await account.agent({ name: "Nora None", role: "ADMIN", scope: "None" });
  const agent = await s.visit(email);
  const { page } = agent;
  await agent.open("/console/admin");
  await page.getByRole("heading", { name: "Administration", level: 1 }).waitFor();
  const links = page.getByRole("navigation", { name: "Pages of the administration" }).getByRole("link");
  const paths = (await Promise.all((await links.all()).map((link) => link.getAttribute("href")))).flatMap(
    (href) => href ?? [],
  );
  expect(paths.length).toBeGreaterThan(10);
  // Reports and messages to customers contain all conversations: these pages say that they need the scope Global.
  const shown: Record<string, string> = {};
  for (const path of paths) {
    await agent.open(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await eventually(async () => expect(await page.getByText("Loading", { exact: true }).count()).toBe(0));
    const text = await page.getByRole("main").innerText();
    expect(text).not.toContain("You can’t see any conversations");
    expect(text).not.toContain("This can’t be shown");
    if (/scope/i.test(text) && /Global|all conversations/.test(text))
      shown[path.split("/").at(-1) ?? ""] = "needs a scope";
  }
  expect(Object.keys(shown)).toEqual(expect.arrayContaining(["reports", "raw-reports", "outbound-messages"]));
  // The stream of events is about conversations: its absence is not a lost connection.
  expect(await page.getByText("No connection").count()).toBe(0);
  await agent.open("/console/preferences");
  await page.getByRole("heading", { name: "Preferences" }).waitFor();
  for (const path of ["inbox", "customers", "search"]) {
    await agent.open(`/console/${path}`);
    await page.getByText("You can’t see any conversations").waitFor();
  }
  // What is changed there counts.
  await agent.open("/console/admin/groups");
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Made without conversations");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("rowheader", { name: "Made without conversations" }).waitFor();
  await agent.close();
});

test.each(["Global", "None"] as const)(
  "a page stops being usable when the role of its agent, whose scope is %s, is lowered",
  async (scope) => {
    const { id, email } = await account.agent({ name: `Lotte Lowered ${scope}`, role: "ADMIN", scope });
    const agent = await s.visit(email);
    const { page } = agent;
    await agent.open("/console/admin/groups");
    await page.getByRole("button", { name: "New group" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Name" }).fill("Of a former admin");
    await setRole(id, "AGENT");
    await setScope(id, scope);
    // With the scope None no events arrive: a refused request tells the page.
    if (scope === "None") {
      const read = () => agent.administration.admin.getAccount({ params: { account: "acme" } });
      await eventually(() => expect(read()).rejects.toMatchObject({ problem: { code: 403 } }));
      await dialog.getByRole("button", { name: "Save" }).click();
    }
    await refusal(agent).waitFor();
    expect(await dialog.count()).toBe(0);
    expect(await page.getByRole("link", { name: "Administration" }).count()).toBe(0);
    await setRole(id, "ADMIN");
    await setScope(id, scope);
    // Without events the page is as it was until it is opened again.
    await eventually(async () => {
      if (scope === "None") await page.reload();
      await page.getByRole("button", { name: "New group" }).waitFor({ timeout: 2_000 });
    });
    await agent.close();
  },
);

test("a page of the inbox whose events begin after the role was lowered does not lead to the administration any more", async () => {
  const { id, email } = await account.agent({ name: "Lena Late", role: "ADMIN" });
  const agent = await s.visit(email);
  const { page } = agent;
  let begin = (): void => undefined;
  const isLowered = new Promise<void>((resolve) => (begin = resolve));
  await page.route("**/console/api/stream*", async (route) => {
    await isLowered;
    await route.continue();
  });
  // The page has just read the role, however slow the computer is.
  await page.clock.setFixedTime(new Date());
  await agent.open("/console/inbox");
  const link = page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Administration" });
  await link.waitFor();
  await setRole(id, "AGENT");
  const read = () => agent.administration.admin.getAccount({ params: { account: "acme" } });
  await eventually(() => expect(read()).rejects.toMatchObject({ problem: { code: 403 } }));
  begin();
  await link.waitFor({ state: "detached" });
  await agent.close();
});

test("a session that ends while a dialog is open is continued by signing in over it, and the dialog keeps its text", async () => {
  const { id, email } = await account.agent({ name: "Edda Ended", role: "ADMIN" });
  const agent = await s.visit(email);
  const { page } = agent;
  await agent.open("/console/admin/tokens");
  await agent.open("/console/admin/groups");
  await page.getByRole("button", { name: "New group" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Of an ended session");
  await owner.administration.admin.endAgentSessions({ params: { account: "acme", agent_id: id } });
  await signInDialog(page).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/admin/groups");
  const name = page.locator('[role=dialog]:not([role=alertdialog]) input[type="text"]').first();
  await expectText(name, "Of an ended session");
  const { groups } = await s.client.groups.listGroups({ query: { items_per_page: 100 } });
  expect(groups.map(({ name }) => name)).not.toContain("Of an ended session");
  await agent.close();
});
