import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ROOT } from "../../support/parley-process.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** The title of each page, by which tabs and the history of a browser are told apart. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  s = await consoleHarness({ hasConcierge: true });
  agent = await s.visit();
  const { id, userId } = await s.beginConversation("Tilda Title", "Where is my parcel?");
  const { agent: own } = await agent.session.workspace.getWorkspace();
  const { webhook } = await agent.administration.admin.createWebhook({
    params: { account: "acme" },
    body: { url: "https://hooks.example/", actions: ["message_create"] },
  });
  ids = { id, userId, agentId: own.agent_id, webhookId: webhook.id };
});
afterAll(() => s.stop());

/** Routes of the console, by their paths, with an address of each and the title of its page. */
const ROUTES: Readonly<Record<string, readonly (readonly [address: string, title: string])[]>> = {
  "/": [["/console/", "All open · Inbox"]],
  "/inbox": [
    ["/console/inbox", "All open · Inbox"],
    ["/console/inbox?agent=me", "Mine · Inbox"],
  ],
  "/conversations/$conversationId": [
    ["/console/conversations/:id", "Tilda Title #NUMBER · Inbox"],
    ["/console/conversations/00000000-0000-4000-8000-000000000000", "There is no such conversation"],
  ],
  "/customers": [["/console/customers", "Customers"]],
  "/customers/$customerId": [["/console/customers/:userId", "Tilda Title · Customers"]],
  "/search": [
    ["/console/search", "Search"],
    ["/console/search?q=parcel", "parcel · Search"],
  ],
  "/templates": [["/console/templates", "Reply templates"]],
  "/preferences": [["/console/preferences", "Preferences"]],
  "/apps/$app/$place": [["/console/apps/absent/page", "This app is not installed, is paused, or has no such page."]],
  "/admin": [["/console/admin", "Administration"]],
  "/admin/agents": [["/console/admin/agents", "Agents · Administration"]],
  "/admin/agents/$agentId": [["/console/admin/agents/:agentId", "Olivia Reyes · Agents · Administration"]],
  "/admin/roles": [["/console/admin/roles", "Roles and statuses · Administration"]],
  "/admin/identity-providers": [["/console/admin/identity-providers", "Single sign-on · Administration"]],
  "/admin/account": [["/console/admin/account", "Account · Administration"]],
  "/admin/topics": [["/console/admin/topics", "Topics · Administration"]],
  "/admin/fields": [["/console/admin/fields", "Conversation properties · Administration"]],
  "/admin/business-hours": [["/console/admin/business-hours", "Business hours · Administration"]],
  "/admin/messenger": [["/console/admin/messenger", "Web messenger · Administration"]],
  "/admin/outbound-templates": [["/console/admin/outbound-templates", "Outbound templates · Administration"]],
  "/admin/outbound-messages": [["/console/admin/outbound-messages", "Outbound messages · Administration"]],
  "/admin/groups": [["/console/admin/groups", "Groups and routing · Administration"]],
  "/admin/reports": [["/console/admin/reports", "Reports · Administration"]],
  "/admin/raw-reports": [["/console/admin/raw-reports", "Raw reports · Administration"]],
  "/admin/tokens": [["/console/admin/tokens", "API tokens · Administration"]],
  "/admin/apps": [["/console/admin/apps", "Apps · Administration"]],
  "/admin/apps/$name": [["/console/admin/apps/concierge", "Concierge · Administration"]],
  "/admin/webhooks": [["/console/admin/webhooks", "Webhooks · Administration"]],
  "/admin/webhooks/$webhookId": [["/console/admin/webhooks/:webhookId", "Deliveries · Administration"]],
  "/admin/audit-log": [["/console/admin/audit-log", "Audit log · Administration"]],
};
/** Pages without a route of the console. */
const OTHERS = [
  ["/console/no-such-page", "There is no such page"],
  ["/profile", "Profile"],
] as const;

/** Paths in the source of the routes; those of the administration are below /admin. */
const pathsOf = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(/\bpath: "([^"]*)"/g)].map(([, path = ""]) => path);

test("every route of the console is in the table of titles", () => {
  const folder = join(ROOT, "packages/console/src/app");
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts") || name.endsWith(".tsx"));
  const paths = files.flatMap((name) => {
    const found = pathsOf(join(folder, name));
    return name === "admin-routes.ts"
      ? found.map((path) => (path === "/admin" ? path : `/admin${path}`.replace(/\/$/, "")))
      : found;
  });
  expect([...new Set(paths)].toSorted()).toEqual(Object.keys(ROUTES).toSorted());
});

test.each([...Object.values(ROUTES).flat(), ...OTHERS])("%s has the title %s", async (address, title) => {
  await agent.open(address.replace(/:(\w+)/, (_, name: string) => ids[name] ?? ""));
  await eventually(async () =>
    expect((await agent.page.title()).replace(/#\d+/, "#NUMBER").replace(/^\(\d+\) /, "")).toBe(`${title} · Parley`),
  );
});

test("a title follows the page without a reload, has the number of unread conversations, and the browser's history has it", async () => {
  const { id } = await s.beginConversation("Una Unread", "Hello?");
  await s.client.conversations.updateConversation({
    params: { conversation_id: id },
    body: { status: "assigned", assigned_agent_id: ids["agentId"] ?? "" },
  });
  await agent.open("/console/inbox?agent=me");
  await eventually(async () => expect(await agent.page.title()).toBe("(1) Mine · Inbox · Parley"));
  await agent.page.getByRole("link", { name: "Customers", exact: true }).click();
  await eventually(async () => expect(await agent.page.title()).toBe("(1) Customers · Parley"));
  await agent.page.goBack();
  await eventually(async () => expect(await agent.page.title()).toBe("(1) Mine · Inbox · Parley"));
  await agent.page
    .getByRole("row", { name: /Una Unread/ })
    .getByRole("link")
    .click();
  await eventually(async () => expect(await agent.page.title()).toMatch(/^Una Unread #\d+ · Inbox · Parley$/));
});

test("the sign-in has a title in the same form", async () => {
  const context = await s.browser.newContext();
  const page = await context.newPage();
  await page.goto(`${s.origin}/sign-in`);
  expect(await page.title()).toBe("Sign in · Parley");
  await context.close();
});
