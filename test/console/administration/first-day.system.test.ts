import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { CreatedAccount } from "@parley/contract";
import type { Page } from "playwright-core";
import { write } from "../../../packages/messenger/test/support/panel.ts";
import { consoleHarness, eventually, type ConsoleHarness } from "../support/harness.ts";
import { run, temporaryFolder } from "../../support/parley-process.ts";
import { publishGreeter } from "../support/published-greeter.ts";

/** The first day of an owner: from an account as the operator creates it to the first answered customer, by the steps of the overview. */

let s: ConsoleHarness;
let packages: Awaited<ReturnType<typeof temporaryFolder>>;
let page: Page;

beforeAll(async () => {
  [s, packages] = await Promise.all([consoleHarness(), temporaryFolder("parley-apps-")]);
});
afterAll(async () => {
  await s.stop();
  await packages.remove();
});

const steps = () => page.getByRole("region", { name: "The first day" });
const dialog = () => page.getByRole("dialog");
const messenger = () => page.getByRole("complementary", { name: "Try it as a customer" }).frameLocator("iframe");
const messages = () => messenger().getByRole("region", { name: "Conversation" });
/** Returns to the overview as an admin does. */
const openOverview = () =>
  page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Administration" }).click();
const untilDone = async (count: number) => {
  await openOverview();
  await steps().getByText(`${count} of 6 steps are done.`).waitFor();
};
const closeDialog = async () => {
  await dialog().getByRole("button", { name: "Close" }).last().click();
  await dialog().waitFor({ state: "detached" });
};

test("the owner of a new account accepts the invitation, and has six steps to do", async () => {
  const owner = { email: "ada@lumen.example", first_name: "Ada" };
  const { link } = await s.administer<CreatedAccount>("POST", "/admin/accounts", { name: "lumen", owner });
  const context = await s.browser.newContext({ viewport: { width: 1_440, height: 900 }, locale: "en-GB" });
  context.setDefaultTimeout(20_000);
  page = await context.newPage();
  await page.goto(link);
  await page.locator("#new-password").fill("a sentence that nobody guesses");
  await page.getByRole("button", { name: "Save and sign in" }).click();
  await page.waitForURL("**/console/**");
  await untilDone(0);
  expect(await steps().getByRole("listitem").count()).toBe(6);
  expect(await steps().getByRole("img", { name: "To do" }).count()).toBe(6);
});

test("a welcome message of the topic is the first step", async () => {
  await steps().getByRole("link", { name: "Open the topics" }).click();
  await page.getByRole("button", { name: "Change Inbox", exact: true }).click();
  await dialog().getByRole("textbox", { name: "Welcome message" }).fill("Welcome to Lumen. What can we do for you?");
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("Inbox saved.").waitFor();
  await untilDone(1);
});

test("a created colleague is the second step", async () => {
  await steps().getByRole("link", { name: "Invite an agent" }).click();
  await page.getByRole("button", { name: "New agent" }).click();
  await dialog().getByRole("textbox", { name: "E-mail address" }).fill("grace@lumen.example");
  await dialog().getByRole("textbox", { name: "First name" }).fill("Grace");
  await dialog().getByRole("button", { name: "Create and invite" }).click();
  // Without a mail server the admin passes the link on.
  expect(await dialog().getByRole("textbox", { name: "Link" }).inputValue()).toMatch(/\/sign-in\/password#/);
  await closeDialog();
  await untilDone(2);
});

test("an app of the catalogue, installed on its own page, is the third step", async () => {
  await publishGreeter("1.0.0", packages.folder, s.dataFolder);
  await steps().getByRole("link", { name: "Open the catalogue" }).click();
  await page.getByRole("button", { name: "Install Greeter" }).click();
  const [installation] = await Promise.all([
    page.context().waitForEvent("page"),
    dialog()
      .getByRole("link", { name: /^Install/ })
      .click(),
  ]);
  // The page knows the account.
  expect(await installation.locator("[id=domain]").inputValue()).toBe("lumen");
  await installation.getByRole("button", { name: /^Create a key for/ }).click();
  await installation.getByText("A key was created and filled in.").waitFor();
  await installation.getByRole("button", { name: "Install", exact: true }).click();
  await installation.getByRole("button", { name: "Save changes" }).waitFor();
  await installation.close();
  await closeDialog();
  await untilDone(3);
});

test("a generated token that was used is the fourth step", async () => {
  await steps().getByRole("link", { name: "Generate a token" }).click();
  await page.getByRole("button", { name: "Generate token" }).click();
  await dialog().getByRole("textbox", { name: "Name" }).fill("Shop");
  await dialog().getByRole("button", { name: "Generate token" }).click();
  const command = await dialog().getByRole("textbox", { name: "Try it" }).inputValue();
  await closeDialog();
  await untilDone(3);
  const { stdout } = await run(["bash", "-c", command]);
  expect(JSON.parse(stdout)).toBeInstanceOf(Object);
  await eventually(async () => {
    await page.reload();
    await steps().getByText("4 of 6 steps are done.").waitFor({ timeout: 2_000 });
  });
});

test("a message of a customer is the fifth step, and the app answers it", async () => {
  await steps().getByRole("button", { name: "Write as a customer" }).click();
  await messenger()
    .getByRole("button", { name: /^Inbox/ })
    .click();
  await messages().getByText("Welcome to Lumen. What can we do for you?").waitFor();
  await write(messenger(), "Does the lamp exist in red?");
  await messages().getByText("Hello 1.0.0: Does the lamp exist in red?").waitFor();
  await steps().getByText("5 of 6 steps are done.").waitFor();
});

test("the agent's answer completes the steps, and they are left out", async () => {
  await steps().getByRole("link", { name: "Open the inbox" }).click();
  await page.getByRole("grid").getByRole("row").first().getByRole("link").click();
  await page.getByRole("textbox", { name: "Reply to the customer" }).fill("It does.");
  await page.getByRole("textbox", { name: "Reply to the customer" }).press("Control+Enter");
  await messages().getByText("It does.").waitFor();
  await openOverview();
  await page.getByRole("heading", { name: "Administration", level: 1 }).waitFor();
  await steps().waitFor({ state: "detached" });
  expect(await steps().count()).toBe(0);
});

test("the data of the demo does not count as a step: its owner has six steps to do, and a change of a topic is the first", async () => {
  const demo = await s.visit();
  ({ page } = demo);
  await untilDone(0);
  await steps().getByRole("link", { name: "Open the topics" }).click();
  await page.getByRole("button", { name: "Change Billing", exact: true }).click();
  await dialog().getByRole("textbox", { name: "Welcome message" }).fill("What can we do for you?");
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText("Billing saved.").waitFor();
  await untilDone(1);
});
