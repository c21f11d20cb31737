import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AuditAction } from "@parley/contract";
import type { Page } from "playwright-core";
import { consoleAccount } from "../../support/account.ts";
import {
  consoleHarness,
  eventually,
  type AgentBrowser,
  type ConsoleHarness,
  type CustomerConversation,
} from "../../support/harness.ts";
import { temporaryFolder } from "../../../support/parley-process.ts";
import { publishGreeter } from "../../support/published-greeter.ts";

/** Schedules of an app in the console, and the entries that each of an admin's steps leaves in the audit log. */

let s: ConsoleHarness;
let admin: AgentBrowser;
let page: Page;
let packages: Awaited<ReturnType<typeof temporaryFolder>>;
let customer: CustomerConversation;
let agentId: string;
const app = { account: "acme", name: "greeter" };

beforeAll(async () => {
  [s, packages] = await Promise.all([consoleHarness(), temporaryFolder("parley-apps-")]);
  const account = consoleAccount(s);
  const { email, id } = await account.agent({ name: "Ada Admin", role: "ACCOUNT_ADMIN" });
  agentId = id;
  admin = await s.visit(email);
  ({ page } = admin);
  await publishGreeter("1.0.0", packages.folder, s.dataFolder);
  await admin.administration.platform.installApp({ params: app, body: { name: app.name } });
  customer = await s.beginConversation("Kim Customer", "hi");
}, 180_000);
afterAll(async () => {
  await s.stop();
  await packages.remove();
});

const openApp = async () => {
  await admin.open("/console/admin/apps/greeter");
  await page.getByRole("heading", { name: "Greeter", level: 1 }).waitFor();
};
const table = (name: string) => page.getByRole("table", { name, exact: true });
const schedules = () => admin.administration.platform.listSchedules({ params: app });
const untilSchedules = (names: readonly string[]) =>
  eventually(async () => expect((await schedules()).schedules.map(({ name }) => name)).toEqual(names), 40_000);

test("a schedule is deleted after a confirmation, and only then", async () => {
  await customer.write("schedule 3600000 later");
  await customer.write("schedule 7200000 latest");
  await untilSchedules(["later", "latest"]);
  await openApp();
  const remove = table("Schedules").getByRole("button", { name: "Delete the schedule later", exact: true });
  await remove.click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  await untilSchedules(["later", "latest"]);
  await remove.click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("The schedule later is deleted.").waitFor();
  await remove.waitFor({ state: "detached" });
  await table("Schedules").getByText("latest").first().waitFor();
  await untilSchedules(["latest"]);
});

test("a schedule that was deleted meanwhile is refused in the dialog", async () => {
  await openApp();
  await table("Schedules").getByRole("button", { name: "Delete the schedule latest" }).click();
  await admin.administration.platform.deleteSchedule({ params: app, query: { schedule: "latest" } });
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByText("The app has no schedule with this name").waitFor();
  // The browser reports the answer 404, which the test has caused.
  admin.errors.splice(0, admin.errors.length, ...admin.errors.filter((error) => !/404/.test(error)));
});

test("a failed run is run again: it fails with the old version, and succeeds with the new version", async () => {
  await customer.write("schedule 500 late");
  await eventually(async () => expect((await schedules()).failed).toMatchObject([{ name: "late" }]), 60_000);
  await openApp();
  const failed = table("Failed runs of schedules");
  await failed.getByText("Late on purpose").waitFor();
  await failed.getByRole("button", { name: /^Run late of/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Call of onScheduledEvent").waitFor();
  await dialog.getByText("Late on purpose").first().waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await failed.getByText("Late on purpose").waitFor();
  await publishGreeter("1.1.0", packages.folder, s.dataFolder);
  await admin.administration.platform.upgradeApp({ params: app, body: {} });
  await failed.getByRole("button", { name: /^Run late of/ }).click();
  await page.getByText("The run of late succeeded.").waitFor();
  await failed.waitFor({ state: "detached" });
  await eventually(async () => {
    const { messages } = await s.client.messages.listMessages({ params: { conversation_id: customer.id }, query: {} });
    expect(JSON.stringify(messages)).toContain("scheduled late");
  });
}, 180_000);

test("each step has an entry in the audit log with the agent's name, on the page of the log, too", async () => {
  const { platform, admin: service } = admin.administration;
  await platform.raiseEvent({ params: app, body: { event: "onMessageCreate", payload: {} } });
  await platform.rollBackApp({ params: app });
  await platform.pauseApp({ params: app });
  await platform.resumeApp({ params: app });
  const { subscriptions } = await service.listSubscriptions({ params: app });
  const subscription = subscriptions.find(({ name }) => name === "app greeter")?.id ?? "";
  await service.replayDeliveries({ params: { ...app, subscription_id: subscription }, body: { failed: true } });
  // A change of the parameters, on the app's own page.
  const settings = await admin.tab("/console/admin/apps/greeter");
  const [parameters] = await Promise.all([
    admin.context.waitForEvent("page"),
    settings.getByRole("link", { name: /^Parameters/ }).click(),
  ]);
  await parameters.fill("[id=greeting]", "Good day");
  await Promise.all([
    parameters.waitForResponse((response) => response.url().endsWith("/custom_configs/save") && response.ok()),
    parameters.getByRole("button", { name: "Save changes" }).click(),
  ]);
  await parameters.close();
  await settings.close();
  await platform.uninstallApp({ params: app });
  const expected: readonly (readonly [AuditAction, string])[] = [
    ["app.install", "Installed an app"],
    ["token.create", "Generated an API token"],
    ["app.upgrade", "Upgraded an app"],
    ["app.rollback", "Took an app back to its previous version"],
    ["app.pause", "Paused an app"],
    ["app.resume", "Resumed an app"],
    ["app.change", "Changed the settings of an app"],
    ["app.uninstall", "Uninstalled an app"],
    ["app.raise_event", "Raised an event of an app"],
    ["app.delete_schedule", "Deleted a schedule of an app"],
    ["app.replay_schedule", "Repeated a failed run of a schedule"],
    ["subscription.replay", "Had events delivered again"],
  ];
  await eventually(async () => {
    const { entries } = await service.listAuditLog({ params: app, query: { actor: agentId, items_per_page: 100 } });
    const own = new Set(entries.map(({ action }) => action));
    expect(expected.map(([action]) => action).filter((action) => !own.has(action))).toEqual([]);
  });
  await admin.open("/console/admin/audit-log");
  for (const [, text] of expected) {
    const row = page.getByRole("row").filter({ hasText: text }).first();
    await row.getByText("Ada Admin").waitFor();
  }
}, 120_000);

test("the browser reported no errors", () => {
  expect(admin.errors).toEqual([]);
});
