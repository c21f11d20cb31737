import type { NewReplyTemplate } from "@parley/contract";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { consoleAccount } from "../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** Reply templates: agents create, change, share and insert them. */

let s: ConsoleHarness;
let olivia: AgentBrowser;
let noah: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  olivia = await s.visit();
  noah = await s.visit((await consoleAccount(s).agent({ name: "Noah Agent" })).email);
  ({ page } = olivia);
});
afterAll(() => s.stop());

const templatesOf = async ({ session }: AgentBrowser) => (await session.replyTemplates.listReplyTemplates()).templates;
const templateOf = async (name: string, of: AgentBrowser = olivia) =>
  (await templatesOf(of)).find((template) => template.name === name);
const create = (values: Pick<NewReplyTemplate, "name" | "text"> & Partial<NewReplyTemplate>, by = olivia) =>
  by.session.replyTemplates.createReplyTemplate({ body: { is_shared: false, ...values } });

const openPage = async (of: AgentBrowser = olivia) => {
  const { page: shown } = of;
  await of.open("/console/templates");
  await shown.getByRole("heading", { name: "Reply templates" }).waitFor();
  await shown
    .getByRole("status")
    .filter({ hasText: /templates?$/ })
    .waitFor();
};
/** The entry of a template in the list of the page. */
const entry = (name: string, shown: Page = page): Locator =>
  shown.getByRole("listitem").filter({ has: shown.getByRole("heading", { name }) });
const dialogOf = (shown: Page = page): Locator => shown.getByRole("dialog");
const openNew = async () => {
  await openPage();
  await page.getByRole("button", { name: "New template" }).click();
  await dialogOf().waitFor();
};
const save = () => dialogOf().getByRole("button", { name: "Save" }).click();
const isClosed = () => dialogOf().waitFor({ state: "detached" });
const textField = () => dialogOf().getByRole("textbox", { name: "Text" });
const nameField = () => dialogOf().getByRole("textbox", { name: "Name" });
const shortcutField = () => dialogOf().getByRole("textbox", { name: "Shortcut" });

describe("on the page of templates", () => {
  test("a template is created with placeholders from the buttons, and the preview has the values of a sample", async () => {
    await openNew();
    await eventually(async () => expect(await nameField().evaluate((e) => e === document.activeElement)).toBe(true));
    await nameField().fill("  Delivery  ");
    await shortcutField().fill("/Delivery-1");
    await textField().fill("Dear , thank you.");
    await textField().evaluate((field) => (field as HTMLTextAreaElement).setSelectionRange(5, 5));
    await dialogOf().getByRole("button", { name: "First name of the customer" }).click();
    await page.keyboard.type(" X");
    await textField().press("End");
    await dialogOf().getByRole("button", { name: "Your first name" }).click();
    expect(await textField().inputValue()).toBe("Dear {{customer.first_name}} X, thank you.{{agent.first_name}}");
    await dialogOf().getByRole("figure").getByText("Dear Ada X, thank you.Olivia").waitFor();
    await save();
    await isClosed();
    expect(await templateOf("Delivery")).toMatchObject({
      shortcut: "delivery-1",
      text: "Dear {{customer.first_name}} X, thank you.{{agent.first_name}}",
      is_shared: false,
    });
    await entry("Delivery").getByText("/delivery-1").waitFor();
    await entry("Delivery").getByText("Only you").waitFor();
    await page.getByRole("button", { name: "New template" }).and(page.locator(":focus")).waitFor();
  });

  test("a template is changed, and deleted with a notice that brings it back", async () => {
    await create({ name: "Old name", shortcut: "old-name", text: "Old text" });
    await openPage();
    await page.getByRole("button", { name: "Change Old name" }).click();
    expect([
      await nameField().inputValue(),
      await shortcutField().inputValue(),
      await textField().inputValue(),
    ]).toEqual(["Old name", "old-name", "Old text"]);
    await nameField().fill("New name");
    await shortcutField().fill("");
    await textField().fill("New text\nin two lines");
    await save();
    await isClosed();
    await entry("New name").waitFor();
    expect(await entry("Old name").count()).toBe(0);
    const changed = await templateOf("New name");
    expect(changed).toMatchObject({ text: "New text\nin two lines" });
    expect(changed).not.toHaveProperty("shortcut");

    await page.getByRole("button", { name: "Delete New name" }).click();
    await entry("New name").waitFor({ state: "detached" });
    await eventually(async () => expect(await templateOf("New name")).toBeUndefined());
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(
        /^(Change|Delete) /,
      ),
    );
    const notices = page.getByRole("region", { name: "Notices" });
    await notices
      .getByRole("listitem")
      .filter({ hasText: "New name deleted." })
      .getByRole("button", { name: "Undo" })
      .click();
    await entry("New name").waitFor();
    await eventually(async () =>
      expect(await templateOf("New name")).toMatchObject({ text: "New text\nin two lines" }),
    );
  });

  test("what the service would refuse is said at its field, and nothing is created", async () => {
    await create({ name: "Taken", shortcut: "taken", text: "Text" });
    const before = (await templatesOf(olivia)).length;
    await openNew();
    await save();
    await dialogOf().getByText("Give the template a name.").waitFor();
    await dialogOf().getByText("Write the text.").waitFor();
    const cases = [
      [nameField(), "a".repeat(81), "A name can have 80 characters."],
      [shortcutField(), "grüße", "Use at most 32 small letters, digits and hyphens."],
      [shortcutField(), "a".repeat(33), "Use at most 32 small letters, digits and hyphens."],
      [textField(), "a".repeat(65_537), "A text can have 65,536 characters."],
    ] as const;
    for (const [field, value, message] of cases) {
      await field.fill(value);
      await dialogOf().getByText(message).waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      await save();
      await field.fill("");
    }
    await nameField().fill("a".repeat(80));
    await textField().fill("a".repeat(65_536));
    await shortcutField().fill("taken");
    await save();
    await dialogOf().getByText("Another reply template has this shortcut.").waitFor();
    expect(await templatesOf(olivia)).toHaveLength(before);
    await shortcutField().fill("free");
    await save();
    await isClosed();
    expect(await templateOf("a".repeat(80))).toMatchObject({ shortcut: "free", text: "a".repeat(65_536) });
    olivia.errors.length = 0;
  });

  test("an unknown placeholder is named, can be saved, and is inserted as it is", async () => {
    await openNew();
    await nameField().fill("Unknown placeholder");
    await shortcutField().fill("unknown");
    await textField().fill("{{topic}}: {{customer.shoe_size}} and {{ x y }}");
    await dialogOf().getByText("sent as they are: customer.shoe_size, x y").waitFor();
    await dialogOf().getByText("Support: {{customer.shoe_size}} and {{ x y }}").waitFor();
    await save();
    await isClosed();
    expect((await templateOf("Unknown placeholder"))?.text).toBe("{{topic}}: {{customer.shoe_size}} and {{ x y }}");
  });

  test("a click beside the dialog keeps the written text, and Escape and Cancel close it without a change", async () => {
    await openNew();
    await textField().fill("Half a text");
    await page.mouse.click(5, 400);
    expect(await textField().inputValue()).toBe("Half a text");
    await dialogOf().getByRole("button", { name: "Cancel" }).click();
    await isClosed();
    expect((await templatesOf(olivia)).filter(({ text }) => text === "Half a text")).toEqual([]);
  });

  test("the search finds names, shortcuts and texts without a difference of case, and counts what it finds", async () => {
    await create({ name: "Zebra", shortcut: "striped", text: "Black and white" });
    await create({ name: "Crossing", text: "A ZEBRA crossing" });
    await openPage();
    const search = page.getByRole("searchbox", { name: "Search" });
    await search.fill("zebra");
    await page.getByRole("status").getByText("2 templates", { exact: true }).waitFor();
    const headings = page.getByRole("main").getByRole("heading", { level: 2 });
    expect(await headings.allInnerTexts()).toEqual([
      expect.stringContaining("Zebra"),
      expect.stringContaining("Crossing"),
    ]);
    await search.fill("strip");
    await page.getByRole("status").getByText("1 template", { exact: true }).waitFor();
    await search.fill("nothing like it");
    await page.getByText("No template matches.").waitFor();
    await search.press("Escape");
    expect(await search.inputValue()).toBe("");
    await page
      .getByRole("status")
      .getByText(`${(await templatesOf(olivia)).length} templates`)
      .waitFor();
  });
});

describe("a second agent", () => {
  test("sees a template as soon as it is shared, can use and not change it, and never sees a personal template", async () => {
    await create({ name: "Mine only", shortcut: "mine-only", text: "Personal" });
    await openPage(noah);
    await openNew();
    await nameField().fill("For all of us");
    await textField().fill("Shared text");
    await dialogOf().getByText("All agents of the account can use it").click();
    await save();
    await isClosed();
    await entry("For all of us", noah.page).getByText("Shared", { exact: true }).waitFor();
    expect(await entry("Mine only", noah.page).count()).toBe(0);
    expect(await templateOf("Mine only", noah)).toBeUndefined();
    expect(await noah.page.getByRole("button", { name: "Delete For all of us" }).count()).toBe(0);
    await noah.page.getByRole("button", { name: "Show For all of us" }).click();
    await dialogOf(noah.page).getByText("It is shared by somebody else.").waitFor();
    expect(await dialogOf(noah.page).getByRole("button", { name: "Save" }).count()).toBe(0);
    await dialogOf(noah.page).getByRole("button", { name: "Close" }).last().click();

    await page.getByRole("button", { name: "Change For all of us" }).click();
    await textField().fill("Changed text");
    await save();
    await entry("For all of us", noah.page).getByText("Changed text").waitFor();
    await page.getByRole("button", { name: "Change For all of us" }).click();
    await dialogOf().getByText("All agents of the account can use it").click();
    await save();
    await entry("For all of us", noah.page).waitFor({ state: "detached" });
  });
});

test("the browsers reported no errors", () => {
  expect([...olivia.errors, ...noah.errors]).toEqual([]);
});
