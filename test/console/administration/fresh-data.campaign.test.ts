import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount, type ConsoleAccount } from "../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";
import { callParley } from "../../../packages/parley/test/command-call.ts";

/** Pages of the administration that are opened again show what the command line, the API and other people changed meanwhile. */

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

/** Opens a page by its link, as people do: earlier data is still in memory. */
const visit = async (label: string) => {
  await page
    .getByRole("navigation", { name: "Pages of the administration" })
    .getByRole("link", { name: label, exact: true })
    .click();
  await page.getByRole("heading", { name: label, level: 1 }).waitFor();
  await eventually(async () => expect(await page.getByText("Loading", { exact: true }).count()).toBe(0));
};
const command = async (...args: readonly string[]) => {
  const { status, stderr } = await callParley(args, { env: { PARLEY_DATA: s.dataFolder } });
  if (status !== 0) throw new Error(stderr);
};
const shown = (text: string | RegExp) => page.getByRole("main").getByText(text).first().waitFor();
const params = { account: "acme" };

/** The pages with a change, and the text by which it shows. */
const CHANGES: Readonly<Record<string, readonly [change: () => Promise<unknown>, text: string | RegExp]>> = {
  "API tokens": [
    () => command("token", "create", "--account", "acme", "--name", "Of the command line"),
    "Of the command line",
  ],
  Webhooks: [
    () => owner.administration.admin.createWebhook({ params, body: { url: "http://127.0.0.1:9/fresh" } }),
    /127\.0\.0\.1:9\/fresh/,
  ],
  Agents: [() => account.agent({ name: "Fred Fresh" }), "Fred Fresh"],
  "Groups and routing": [() => account.apply({ groups: [{ name: "Fresh group" }] }), "Fresh group"],
  Topics: [() => account.apply({ channels: [{ name: "Fresh topic" }] }), "Fresh topic"],
  "Conversation properties": [
    () => account.apply({ fields: [{ name: "cf_fresh", label: "Fresh property", type: "TEXT" }] }),
    "Fresh property",
  ],
  "Roles and statuses": [() => account.apply({ roles: [{ name: "Fresh role" }] }), "Fresh role"],
  "Business hours": [
    () =>
      account.apply({
        business_hours: [{ timezone: "Pacific/Chatham", week: { monday: [{ from: "09:00", to: "17:00" }] } }],
      }),
    /Chatham/,
  ],
  "Single sign-on": [
    () =>
      owner.administration.admin.putIdentityProvider({
        params: { ...params, provider: "fresh" },
        body: { label: "Fresh provider", issuer: "https://idp.example.com", client_id: "c" },
      }),
    "Fresh provider",
  ],
  "Audit log": [() => account.apply({ groups: [{ name: "Fresh entry" }] }), /Fresh entry/],
};

test("each page shows changes since it was open", async () => {
  await owner.open("/console/admin");
  await page.getByRole("heading", { name: "Administration", level: 1 }).waitFor();
  for (const label of Object.keys(CHANGES)) await visit(label);
  for (const [change] of Object.values(CHANGES)) await change();
  const missing: string[] = [];
  for (const [label, [, text]] of Object.entries(CHANGES)) {
    await visit(label);
    await shown(text).catch(() => missing.push(label));
  }
  expect(missing).toEqual([]);
  // Names that other pages show: of the new agent, whose page has the new group.
  await page
    .getByRole("navigation", { name: "Pages of the administration" })
    .getByRole("link", { name: "Agents" })
    .click();
  await page.getByRole("link", { name: "Fred Fresh" }).click();
  await page.getByRole("button", { name: "Change the profile" }).click();
  await page.getByRole("dialog").getByRole("checkbox", { name: "Fresh group" }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
}, 180_000);

test("the allowance, the last use of a token and the sessions of an agent are those of now", async () => {
  const { email } = await account.agent({ name: "Selma Session" });
  await owner.open("/console/admin/agents");
  await page.getByRole("link", { name: "Selma Session" }).click();
  await page.getByText("The agent is not signed in anywhere.").waitFor();
  await visit("API tokens");
  const created = await owner.administration.admin.createToken({
    params,
    body: { name: "Just used", permissions: ["group:read"] },
  });
  await visit("Account");
  await visit("API tokens");
  const row = page.getByRole("row").filter({ hasText: "Just used" });
  await row.getByText("Not yet").waitFor();
  await visit("Agents");
  const reply = await fetch(`${s.origin}/v2/groups`, { headers: { authorization: `Bearer ${created.token}` } });
  expect(reply.status).toBe(200);
  await eventually(async () => {
    const { tokens } = await owner.administration.admin.listTokens({ params });
    expect(tokens.find(({ name }) => name === "Just used")?.last_used_time).toBeDefined();
  });
  const agent = await s.visit(email);
  await visit("API tokens");
  await row.getByText("Not yet").waitFor({ state: "detached" });
  owner.requests.length = 0;
  await visit("Account");
  await eventually(() => expect(owner.requests).toContain("GET /admin/accounts/acme/allowance"));
  await visit("Agents");
  await page.getByRole("link", { name: "Selma Session" }).click();
  await page.getByRole("table", { name: "Sessions" }).waitFor();
  await agent.close();
}, 180_000);

test("what can't be read again is shown with a note, and is read again on request", async () => {
  await owner.open("/console/admin/groups");
  await page.getByRole("rowheader", { name: "Fresh group" }).waitFor();
  await visit("Account");
  await page.route("**/admin/accounts/acme", (route) =>
    route.fulfill({ status: 500, json: { code: 500, status: "INTERNAL_SERVER_ERROR", message: "not now" } }),
  );
  await visit("Groups and routing");
  await page.getByText("This page may be out of date").waitFor();
  await page.getByRole("rowheader", { name: "Fresh group" }).waitFor();
  await page.unroute("**/admin/accounts/acme");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("This page may be out of date").waitFor({ state: "detached" });
});
