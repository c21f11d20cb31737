import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { consoleAccount, type ConsoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";
import { temporaryFolder } from "../../../support/parley-process.ts";
import { publishGreeter } from "../../support/published-greeter.ts";

/** What admins do on the pages of apps. Only account admins let the platform create API keys. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let account: ConsoleAccount;
let packages: Awaited<ReturnType<typeof temporaryFolder>>;
const app = { account: "acme", name: "greeter" };

beforeAll(async () => {
  [s, packages] = await Promise.all([consoleHarness(), temporaryFolder("parley-apps-")]);
  account = consoleAccount(s);
  owner = await s.visit();
  await publishGreeter("1.0.0", packages.folder, s.dataFolder);
}, 180_000);
afterAll(async () => {
  await s.stop();
  await packages.remove();
});

describe("an admin", () => {
  let admin: AgentBrowser;
  let id: string;
  beforeAll(async () => {
    const agent = await account.agent({ name: "Ada Admin", role: "ADMIN" });
    ({ id } = agent);
    admin = await s.visit(agent.email);
  });
  afterAll(() => admin.close());

  test("reads before an installation that an account admin has to create the key; the service refuses to create it", async () => {
    await admin.open("/console/admin/apps");
    await admin.page.getByRole("button", { name: "Install Greeter" }).click();
    const dialog = admin.page.getByRole("dialog");
    await dialog.getByText("Only an agent with the role Account admin can create the API key").waitFor();
    const { platform } = admin.administration;
    await expect(platform.installApp({ params: app, body: { name: app.name } })).rejects.toMatchObject({
      problem: { code: 403, status: "FORBIDDEN" },
    });
    expect((await platform.listInstallations({ params: app })).apps).toEqual([]);
    await owner.administration.platform.installApp({ params: app, body: { name: app.name } });
  });
  test("pauses and resumes the app, and the audit log names the admin", async () => {
    await admin.open("/console/admin/apps/greeter");
    await admin.page.getByRole("button", { name: "Pause" }).click();
    await admin.page.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click();
    await admin.page.getByRole("button", { name: "Resume" }).click();
    await admin.page.getByText("Greeter is active.").waitFor();
    await eventually(async () => {
      const { entries } = await owner.administration.admin.listAuditLog({ params: app, query: { actor: id } });
      expect(entries.map(({ action }) => action)).toEqual(expect.arrayContaining(["app.pause", "app.resume"]));
    });
  });
  test("upgrades to a version that needs no more permissions", async () => {
    await publishGreeter("1.1.0", packages.folder, s.dataFolder);
    await admin.open("/console/admin/apps/greeter");
    await admin.page.getByRole("button", { name: "Upgrade to 1.1.0" }).click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Upgrade", exact: true }).click();
    await admin.page.getByText("Greeter runs version 1.1.0.").waitFor();
  });
  test("reads why an upgrade with a wider key is not the admin's, without a button that would be refused", async () => {
    await publishGreeter("2.0.0", packages.folder, s.dataFolder);
    await admin.open("/console/admin/apps/greeter");
    await admin.page.getByRole("button", { name: "Upgrade to 2.0.0" }).click();
    const dialog = admin.page.getByRole("dialog");
    await dialog.getByText("only an agent with the role Account admin can create").waitFor();
    expect(await dialog.getByRole("button", { name: "Upgrade", exact: true }).count()).toBe(0);
    const [installation] = await Promise.all([
      admin.context.waitForEvent("page"),
      dialog.getByRole("link", { name: /^Open its installation page/ }).click(),
    ]);
    await installation.getByText("user:read").first().waitFor();
    expect(await installation.getByRole("button", { name: /^Create a key/ }).count()).toBe(0);
    expect(admin.errors).toEqual([]);
  });
});

test("an account admin upgrades to the version with the wider key", async () => {
  await owner.open("/console/admin/apps/greeter");
  await owner.page.getByRole("button", { name: "Upgrade to 2.0.0" }).click();
  await owner.page.getByRole("dialog").getByRole("button", { name: "Upgrade", exact: true }).click();
  await owner.page.getByText("Greeter runs version 2.0.0.").waitFor();
});
