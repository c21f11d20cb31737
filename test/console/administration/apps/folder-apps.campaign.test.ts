import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { adminPageFaults } from "../../support/admin-faults.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** Concierge as `npm start` runs it, from the project's folder: an admin sees what answers the customers. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;
beforeAll(async () => {
  s = await consoleHarness({ hasConcierge: true });
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const params = { account: "acme" };
const table = (name: string) => page.getByRole("table", { name, exact: true });
const openConcierge = async () => {
  await owner.open("/console/admin/apps/concierge");
  await page.getByRole("heading", { name: "Concierge", level: 1 }).waitFor();
};
const entriesOf = async (action: "app.raise_event") =>
  (await owner.administration.admin.listAuditLog({ params, query: { action } })).entries;

test("the list has the app with icon, version and state, and says that it is served from a folder", async () => {
  await owner.open("/console/admin/apps");
  const row = table("Installed apps").getByRole("row").filter({ hasText: "Concierge" });
  await row.getByText("From a developer’s folder").waitFor();
  await row.getByText(/^\d+\.\d+\.\d+/).waitFor();
  await row.getByText("Active").waitFor();
  expect(await row.locator("img").getAttribute("src")).toMatch(/^data:image\/svg\+xml;base64,/);
  await row.getByRole("link", { name: "Concierge" }).click();
  await page.getByRole("heading", { name: "Concierge", level: 1 }).waitFor();
});

test("its page says why it has no steps here, and what it may do", async () => {
  await openConcierge();
  await page.getByText("A developer serves this app from a folder").waitFor();
  for (const name of [/^Upgrade/, /^Return/, "Pause", "Resume", "Uninstall"])
    expect(await page.getByRole("button", { name }).count()).toBe(0);
  await page.getByText("What it may do").click();
  await page.getByText("Writes messages into conversations.").waitFor();
  await page.getByText("Is shown beside each conversation.").waitFor();
  expect(await page.getByRole("link", { name: /^Parameters/ }).getAttribute("href")).toBe(s.installPage);
});

test("the steps of an installed version are refused for it, and change nothing", async () => {
  const { platform } = owner.administration;
  const app = { ...params, name: "concierge" };
  for (const step of [platform.pauseApp, platform.uninstallApp, platform.rollBackApp])
    await expect(step({ params: app })).rejects.toMatchObject({ problem: { status: "APP_NOT_INSTALLED" } });
  const { apps } = await platform.listFolderApps({ params });
  expect(apps).toMatchObject([{ name: "concierge", installation: { installed_time: expect.any(String) } }]);
});

test("a call that answered a customer is listed with its payload, and a page that is opened again is up to date", async () => {
  await openConcierge();
  await table("Calls").getByText("onAppInstall").waitFor();
  await page.getByRole("link", { name: "All apps" }).click();
  await table("Installed apps").waitFor();
  await s.beginConversation("Kim Customer", "hi");
  const { platform } = owner.administration;
  await eventually(async () => {
    const query = { event: "onConversationCreate" };
    const { invocations } = await platform.listInvocations({ params: { ...params, name: "concierge" }, query });
    expect(invocations).toHaveLength(1);
  }, 40_000);
  // Without loading the document again.
  await table("Installed apps").getByRole("link", { name: "Concierge" }).click();
  await table("Calls")
    .getByRole("button", { name: /^Show the call onConversationCreate/ })
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText('"onConversationCreate"').waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
});

test("an event is raised, and the audit log names the agent, the app and the event", async () => {
  await openConcierge();
  await page.getByRole("button", { name: "Raise an event" }).click();
  const form = page.getByRole("dialog");
  await form.getByRole("button", { name: "Raise an event" }).click();
  await page.getByRole("heading", { name: /^Call of on/ }).waitFor();
  await eventually(async () => {
    const [entry] = await entriesOf("app.raise_event");
    expect(entry).toMatchObject({ actor: { type: "agent" }, subject: "concierge" });
    expect(entry?.details["members"]).toEqual([expect.stringMatching(/^on/)]);
  });
});

test("its failed events are those of its own subscription", async () => {
  const { admin, platform } = owner.administration;
  const [{ subscriptions }, { apps }] = await Promise.all([
    admin.listSubscriptions({ params }),
    platform.listFolderApps({ params }),
  ]);
  expect(subscriptions.filter(({ url }) => url === apps[0]?.events_url)).toMatchObject([
    { kind: "app", name: "app-host", state: "on" },
  ]);
  await openConcierge();
  await page.getByText("No event has failed.").waitFor();
});

test.each([
  ["wide", { width: 1_440, height: 900 }],
  ["narrow", { width: 360, height: 740 }],
])("the pages have no fault in a %s window", async (_name, viewport) => {
  await page.setViewportSize(viewport);
  await owner.open("/console/admin/apps");
  await table("Installed apps").waitFor();
  expect(await adminPageFaults(page)).toEqual([]);
  await openConcierge();
  await page.getByText("What it may do").click();
  await table("Calls").waitFor();
  expect(await adminPageFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 1_440, height: 900 });
});

test.each(["chat_conversation.conversation_user_info", "conversation_user_info"])(
  "the address of its place %s shows the place alone, with the conversation that the address names",
  async (place) => {
    const { id } = await s.beginConversation("Robin Customer", "hello");
    await owner.open(`/console/apps/concierge/${place}?conversation=${id}`);
    const app = page.frameLocator("iframe").frameLocator("iframe");
    await app.getByRole("button", { name: "Assign to me" }).waitFor();
    await owner.open("/console/apps/concierge/absent");
    await page.getByText("This app is not installed, is paused, or has no such page.").waitFor();
  },
);

test("an app in a folder that is not installed has a page with the way to its installation page", async () => {
  await page.goto(s.installPage);
  await page.getByRole("button", { name: "Uninstall…" }).click();
  await page.getByRole("button", { name: "Uninstall", exact: true }).click();
  await page.waitForURL(/#uninstalled$/);
  await eventually(async () => {
    const { apps } = await owner.administration.platform.listFolderApps({ params });
    expect(apps).toMatchObject([{ name: "concierge" }]);
    expect(apps[0]).not.toHaveProperty("installation");
  });
  await openConcierge();
  await page.getByText("The app is not installed yet").waitFor();
  await page.getByRole("link", { name: /^Installation page/ }).waitFor();
  await owner.open("/console/admin/apps");
  await table("Installed apps").getByText("Not installed").waitFor();
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
