import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import {
  consoleHarness,
  eventually,
  type AgentBrowser,
  type ConsoleHarness,
  type CustomerConversation,
} from "../../support/harness.ts";
import { temporaryFolder } from "../../../support/parley-process.ts";
import { publishGreeter, type GreeterVersion } from "../../support/published-greeter.ts";

/** The pages of apps: an admin's actions there change the messages to customers. The tests are the life of one app, in order. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;
let packages: Awaited<ReturnType<typeof temporaryFolder>>;
let customer: CustomerConversation;

beforeAll(async () => {
  [s, packages] = await Promise.all([consoleHarness(), temporaryFolder("parley-apps-")]);
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(async () => {
  await s.stop();
  await packages.remove();
});

const publish = (version: GreeterVersion) => publishGreeter(version, packages.folder, s.dataFolder);
/** Texts of the app's messages to the customer, oldest first. */
const replies = async (): Promise<string[]> => {
  const { messages } = await s.client.messages.listMessages({
    params: { conversation_id: customer.id },
    query: { items_per_page: 50 },
  });
  return messages
    .filter(({ actor_type }) => actor_type === "bot")
    .map(({ message_parts }) => message_parts[0]?.text?.content ?? "")
    .reverse();
};
const untilReply = (text: string) => eventually(async () => expect(await replies()).toContain(text), 40_000);
const openApp = async () => {
  await owner.open("/console/admin/apps/greeter");
  await page.getByRole("heading", { name: "Greeter", level: 1 }).waitFor();
};
const table = (name: string) => page.getByRole("table", { name, exact: true });
const confirm = (name: string) => page.getByRole("alertdialog").getByRole("button", { name }).click();

test("without published apps, the page says how they come into the catalogue", async () => {
  await owner.open("/console/admin/apps");
  await table("Installed apps").getByText("Not installed").waitFor();
  await page.getByText("The catalogue is empty").waitFor();
});

test("an app of the catalogue tells what it may do, and is installed on its own page", async () => {
  await publish("1.0.0");
  await owner.open("/console/admin/apps");
  await page.getByRole("button", { name: "Install Greeter" }).click();
  const dialog = page.getByRole("dialog");
  for (const sentence of [
    "Writes messages into conversations.",
    "Receives each message, of customers and of agents.",
    "Runs by itself at times that it chooses.",
    "Sends requests to the host that its parameter domain names.",
    "Agents don’t see it.",
  ])
    await dialog.getByText(sentence).waitFor();
  const [installation] = await Promise.all([
    owner.context.waitForEvent("page"),
    dialog.getByRole("link", { name: /^Install/ }).click(),
  ]);
  await installation.fill("[id=domain]", "acme");
  await installation.getByRole("button", { name: /^Create a key for/ }).click();
  await installation.getByText("A key was created and filled in.").waitFor();
  await installation.getByRole("button", { name: "Install", exact: true }).click();
  customer = await s.beginConversation("Kim Customer", "hi");
  await eventually(async () => {
    const { apps } = await owner.administration.platform.listInstallations({ params: { account: "acme" } });
    expect(apps.map(({ name, version }) => `${name} ${version}`)).toEqual(["greeter 1.0.0"]);
  });
  await installation.close();
  await customer.write("hello");
  await untilReply("Hello 1.0.0: hello");
});

test("the list has the app with its version and its state", async () => {
  await owner.open("/console/admin/apps");
  const row = table("Installed apps").getByRole("row").filter({ hasText: "Greeter" });
  await row.getByText("1.0.0").waitFor();
  await row.getByText("Active").waitFor();
  await page.getByText("Every app of the catalogue is installed.").waitFor();
  await row.getByRole("link", { name: "Greeter" }).click();
  await page.getByRole("heading", { name: "Greeter", level: 1 }).waitFor();
});

test("a call is listed with its log lines and its requests, and filters leave it out", async () => {
  await openApp();
  await table("Calls")
    .getByRole("button", { name: /^Show the call onMessageCreate/ })
    .last()
    .click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("info: text h").waitFor();
  await dialog
    .getByRole("table", { name: "Requests that it made" })
    .getByRole("cell", { name: "200", exact: true })
    .waitFor();
  await dialog.getByText('"greeting": "Hello"').waitFor();
  expect(await dialog.innerText()).not.toMatch(/parley_[\w-]{43}/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("button", { name: /^Every result/ }).click();
  await page.getByRole("option", { name: "Failed" }).click();
  await page.getByText("No call matches").waitFor();
});

test("an event is raised with a recorded payload: the app acts again", async () => {
  await openApp();
  const before = (await replies()).length;
  await table("Calls")
    .getByRole("button", { name: /^Show the call onMessageCreate/ })
    .last()
    .click();
  await page.getByRole("dialog").getByRole("button", { name: "Raise again" }).click();
  const form = page.getByRole("dialog").filter({ hasText: "The app acts for real." });
  const payload = form.getByRole("textbox", { name: "Payload" });
  const recorded = await payload.inputValue();
  expect(JSON.parse(recorded)).not.toHaveProperty("iparams");
  await payload.fill("{");
  await form.getByRole("button", { name: "Raise an event" }).click();
  await form.getByText("This is not JSON").waitFor();
  expect(await replies()).toHaveLength(before);
  await payload.fill(recorded);
  await form.getByRole("button", { name: "Raise an event" }).click();
  await page.getByRole("heading", { name: "Call of onMessageCreate" }).waitFor();
  await eventually(async () => expect(await replies()).toHaveLength(before + 1));
});

test("a schedule of the app is listed with its data", async () => {
  await customer.write("schedule 3600000 later");
  await untilReply("Hello 1.0.0: schedule 3600000 later");
  await openApp();
  const row = table("Schedules").getByRole("row").filter({ hasText: "later" });
  await row.getByText("Once").waitFor();
  await row.getByText(customer.id).waitFor();
});

test("an event that failed at every attempt is listed with the app's error", async () => {
  await openApp();
  await customer.write("break");
  await eventually(async () => {
    await page.getByRole("button", { name: "Read again" }).click();
    await table("Failed events").getByText("Broken on purpose").waitFor({ timeout: 1_000 });
  }, 40_000);
  await table("Calls").getByText("Broken on purpose").first().waitFor();
});

test("an upgrade says first what changes, then the app runs the new version", async () => {
  await publish("1.1.0");
  await owner.open("/console/admin/apps");
  await table("Installed apps").getByText("Version 1.1.0 is available").waitFor();
  await openApp();
  await page.getByRole("button", { name: "Upgrade to 1.1.0" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It will, in addition").waitFor();
  await dialog.getByText("Receives each new customer.").waitFor();
  expect(await dialog.getByText("Receives each message").count()).toBe(0);
  // A dialog that is opened while the page is read again stays open.
  const isListOfCalls = (address: URL): boolean => address.pathname.endsWith("/invocations");
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(isListOfCalls, (route) => released.then(() => route.continue()));
  await dialog.getByRole("button", { name: "Upgrade", exact: true }).click();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("alertdialog").waitFor();
  release();
  await page.getByText("Greeter runs version 1.1.0.").waitFor();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  await page.unroute(isListOfCalls);
  await customer.write("again");
  await untilReply("Hello 1.1.0: again");
});

test("the failed event is replayed, and the customer gets the answer", async () => {
  await openApp();
  await table("Failed events")
    .getByRole("button", { name: /^Replay onMessageCreate/ })
    .click();
  await page.getByText("1 event is sent again.").waitFor();
  await untilReply("Hello 1.1.0: break");
  await eventually(async () => {
    await page.getByRole("button", { name: "Read again" }).click();
    await page.getByText("No event has failed.").waitFor({ timeout: 1_000 });
  });
});

test("the app returns to the version before", async () => {
  await openApp();
  await page.getByRole("button", { name: "Return to 1.0.0" }).click();
  await confirm("Return to 1.0.0");
  await page.getByText("Greeter runs version 1.0.0 again.").waitFor();
  await customer.write("back");
  await untilReply("Hello 1.0.0: back");
});

test("a paused app does not answer; when it is resumed, it answers what waited", async () => {
  await openApp();
  await page.getByRole("button", { name: "Pause" }).click();
  await confirm("Pause");
  await page.getByText("Greeter is paused.").waitFor();
  await page.getByText("Paused since").waitFor();
  await customer.write("while paused");
  await eventually(async () => {
    const { subscriptions } = await owner.administration.admin.listSubscriptions({ params: { account: "acme" } });
    expect(subscriptions.find(({ name }) => name === "app greeter")).toMatchObject({ state: "off", to_come: 1 });
  });
  expect(await replies()).not.toContain("Hello 1.0.0: while paused");
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByText("Greeter is active.").waitFor();
  await untilReply("Hello 1.0.0: while paused");
});

test("uninstalling needs the app's name, and removes the app", async () => {
  await openApp();
  await page.getByRole("button", { name: "Uninstall" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Type greeter to confirm" }).fill("greet");
  await dialog.getByRole("button", { name: "Uninstall" }).click();
  await dialog.getByText("This is not greeter.").waitFor();
  const installed = () => owner.administration.platform.listInstallations({ params: { account: "acme" } });
  expect((await installed()).apps).toHaveLength(1);
  await dialog.getByRole("textbox", { name: "Type greeter to confirm" }).fill("greeter");
  await dialog.getByRole("button", { name: "Uninstall" }).click();
  await page.getByText("Greeter is uninstalled.").waitFor();
  await page.getByRole("button", { name: "Install Greeter" }).waitFor();
  expect(await table("Installed apps").getByText("Greeter").count()).toBe(0);
  expect((await installed()).apps).toEqual([]);
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
