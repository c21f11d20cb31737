import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../../packages/framework/test/front/front-fixture.ts";
import { consoleAccount, type ConsoleAccount } from "../../support/account.ts";
import { consoleHarness, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The audit log: changes of people and programs, in words, filtered, and as a file. */

let s: ConsoleHarness;
let account: ConsoleAccount;
let owner: AgentBrowser;
let page: Page;
let tokenId: string;
let secret: string;

beforeAll(async () => {
  s = await consoleHarness();
  account = consoleAccount(s);
  owner = await s.visit();
  ({ page } = owner);
  const { admin } = owner.administration;
  const params = { account: "acme" };
  const created = await admin.createToken({ params, body: { name: "Nightly sync", permissions: ["group:read"] } });
  tokenId = created.id;
  const hook = await admin.createWebhook({ params, body: { url: "http://127.0.0.1:9/path7q" } });
  ({ secret } = hook);
  await admin.removeWebhook({ params: { ...params, webhook_id: hook.webhook.id } });
  await account.apply({ groups: [{ name: "Night shift" }] });
}, 180_000);
afterAll(() => s.stop());

const table = () => page.getByRole("table", { name: "Audit log" });
const rows = () =>
  table()
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader") });
const row = (what: string) => rows().filter({ has: page.getByRole("rowheader", { name: what, exact: true }) });
const openPage = async () => {
  await owner.open("/console/admin/audit-log");
  await table().waitFor();
};
const choose = async (label: RegExp, option: string) => {
  await page.getByRole("search").getByRole("button", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
};
const apply = () => page.getByRole("button", { name: "Apply" }).click();

test("says who did what to which object, from where, with its details and without secrets", async () => {
  await openPage();
  const generated = row("Generated an API token").filter({ hasText: "Nightly sync" });
  await generated.getByText("Permissions: group:read").waitFor();
  await generated.getByText(/^(127\.0\.0\.1|::1)$/).waitFor();
  const { agent } = await owner.session.workspace.getWorkspace();
  await generated.getByText(`${agent.first_name} ${agent.last_name}`).waitFor();
  await row("Removed a webhook").filter({ hasText: "127.0.0.1" }).first().waitFor();
  const changed = row("Changed the account’s settings").filter({ hasText: "groups Night shift: created" });
  await changed.getByText("Operator").waitFor();
  for (const hidden of [secret, "path7q"]) expect(await page.content()).not.toContain(hidden);
});

describe("the filters", () => {
  test("by action and by object leave the entries that match both", async () => {
    await openPage();
    await choose(/What$/, "Generated an API token");
    await page.getByRole("textbox", { name: "About" }).fill("nightly SYNC");
    await apply();
    await page.getByText("1 entry", { exact: true }).waitFor();
    expect(await rows().count()).toBe(1);
    await page.getByRole("textbox", { name: "About" }).fill(tokenId);
    await apply();
    await page.getByText("1 entry", { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "About" }).fill("nobody");
    await apply();
    await page.getByText("No entry matches the filters").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await row("Removed a webhook").first().waitFor();
  });

  test("by actor leave the entries of the operator", async () => {
    await openPage();
    await choose(/Who$/, "Operator");
    await apply();
    await row("Generated an API token").filter({ hasText: "Nightly sync" }).waitFor({ state: "detached" });
    const { entries } = await owner.administration.admin.listAuditLog({
      params: { account: "acme" },
      query: { actor: "operator", items_per_page: 50 },
    });
    expect(await rows().count()).toBe(entries.length);
  });

  test("by day leave the entries of today, no entry of tomorrow, and refuse a range that ends before it begins", async () => {
    await openPage();
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toLocaleDateString("sv-SE");
    const [from, until] = [page.getByLabel("From day"), page.getByLabel("Until day")];
    await from.fill(day(1));
    await until.fill(day(-1));
    await page.getByText("The last day is before the first day.").waitFor();
    await until.fill(day(1));
    await apply();
    await page.getByText("No entry matches the filters").waitFor();
    await from.fill(day(-1));
    await apply();
    await row("Removed a webhook").first().waitFor();
  });
});

test("the file has the entries that match the filters, and its download is an entry itself", async () => {
  await openPage();
  await page.getByRole("textbox", { name: "About" }).fill("Nightly sync");
  await apply();
  await page.getByText("1 entry", { exact: true }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("audit-log-acme.csv");
  const lines = (await readFile(await file.path(), "utf8")).split("\r\n");
  expect(lines[0]).toBe("\uFEFFtime,actor_type,actor,actor_id,address,action,text,subject,subject_id,details");
  expect(lines).toHaveLength(3);
  expect(lines[1]).toContain(`token.create,Generated an API token,Nightly sync,${tokenId},`);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await row("Exported the audit log").getByText("About: Nightly sync").waitFor();
});

test("more entries than fit on a page are read page by page", async () => {
  const { admin } = owner.administration;
  for (let index = 0; index < 51; index += 1)
    await admin.createToken({
      params: { account: "acme" },
      body: { name: `Of many ${String(index).padStart(2, "0")}`, permissions: ["group:read"] },
    });
  await openPage();
  await page.getByText(/Page 1 of \d/).waitFor();
  await row("Generated an API token").filter({ hasText: "Of many 50" }).waitFor();
  await page.getByRole("button", { name: "Older" }).click();
  await page.getByText(/Page 2 of \d/).waitFor();
  await row("Generated an API token").filter({ hasText: "Of many 00" }).waitFor();
  await page.getByRole("button", { name: "Newer" }).click();
  await row("Generated an API token").filter({ hasText: "Of many 50" }).waitFor();
}, 120_000);

test("a browser in German has German sentences", async () => {
  const german = await s.visit(undefined, { locale: "de-DE" });
  await german.open("/console/admin/audit-log");
  await german.page.getByRole("rowheader", { name: "Hat ein API-Token erzeugt" }).first().waitFor();
  await german.close();
});

describe("by role", () => {
  test("an admin reads the log", async () => {
    const { email } = await account.agent({ name: "Ada Admin", role: "ADMIN" });
    const admin = await s.visit(email);
    await admin.open("/console/admin/audit-log");
    await admin.page.getByRole("table", { name: "Audit log" }).waitFor();
    await admin.close();
  });
});

test.each([
  ["wide", { width: 1_440, height: 900 }],
  ["narrow", { width: 360, height: 740 }],
] as const)("the page is accessible and does not scroll sideways in a %s window", async (_, size) => {
  await page.setViewportSize(size);
  await openPage();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(size.width);
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
