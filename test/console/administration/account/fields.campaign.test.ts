import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../../packages/framework/test/front/front-fixture.ts";
import { campaignTest } from "../../../support/campaign.ts";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The page of conversation properties: the API lists the saved properties, and agents fill them in. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const table = () => page.getByRole("table", { name: "Conversation properties" });
const row = (name: string) =>
  table()
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name, exact: true }) });
const dialog = () => page.getByRole("dialog");
const choice = (number: number) => dialog().getByRole("textbox", { name: `Choice ${number}` });
const openPage = async () => {
  await owner.open("/console/admin/fields");
  await table().waitFor();
};
const save = async (name: string) => {
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText(`${name} saved.`).last().waitFor();
  await dialog().waitFor({ state: "detached" });
};
const edit = (name: string) => page.getByRole("button", { name: `Change ${name}`, exact: true }).click();
const fields = () => s.client.fields.listFields();
const field = async (name: string) => (await fields()).find((each) => each.name === name);
const choicesOf = async (name: string) => (await field(name))?.choices.map(({ value }) => value);

test("a new property is listed by the API, and agents choose a value of it beside a conversation", async () => {
  const conversation = await s.beginConversation("Paula Property", "Which colour do you have?");
  await openPage();
  await page.getByRole("button", { name: "New property" }).click();
  await dialog().getByRole("textbox", { name: "Label" }).fill("Favourite colour");
  expect(await dialog().getByRole("textbox", { name: "Name in the API" }).inputValue()).toBe("cf_favourite_colour");
  await dialog().getByRole("button", { name: /Type/ }).click();
  await page.getByRole("option", { name: "One of several choices" }).click();
  await choice(1).fill("Red");
  await dialog().getByRole("button", { name: "Add a choice" }).click();
  await page.keyboard.type("Green");
  await dialog().getByText("Required", { exact: true }).click();
  await save("Favourite colour");
  expect(await field("cf_favourite_colour")).toMatchObject({
    label: "Favourite colour",
    type: "DROPDOWN",
    required: true,
    editable: true,
    custom: true,
  });
  expect(await choicesOf("cf_favourite_colour")).toEqual(["Red", "Green"]);
  await owner.open(`/console/conversations/${conversation.id}`);
  await page.getByText("Which colour do you have?").last().waitFor();
  await page.getByRole("button", { name: /Favourite colour/ }).click();
  await page.getByRole("option", { name: "Green" }).click();
  await eventually(async () => {
    const { properties } = await s.client.conversations.getConversation({
      params: { conversation_id: conversation.id },
    });
    expect(properties).toMatchObject({ cf_favourite_colour: "Green" });
  });
});

test("choices are renamed, reordered, added and removed; a renamed one keeps its id", async () => {
  await consoleAccount(s).apply({
    fields: [{ name: "cf_size", label: "Size", type: "MULTI_SELECT_DROPDOWN", choices: ["S", "M", "L"] }],
  });
  const before = (await field("cf_size"))?.choices ?? [];
  await openPage();
  await row("Size").getByText("3 choices").waitFor();
  await edit("Size");
  await choice(2).fill("Medium");
  await dialog().getByRole("button", { name: "Move L up" }).click();
  await dialog().getByRole("button", { name: "Remove S", exact: true }).click();
  await dialog().getByRole("button", { name: "Add a choice" }).click();
  await page.keyboard.type("XL");
  await save("Size");
  const [, medium, large] = before;
  expect((await field("cf_size"))?.choices).toEqual([
    large,
    { id: medium?.id, value: "Medium" },
    { id: expect.any(String), value: "XL" },
  ]);
  expect(await choicesOf("cf_favourite_colour")).toEqual(["Red", "Green"]);
  const { fields: exported = [] } = await consoleAccount(s).document();
  expect(exported.find(({ name }) => name === "cf_size")).toMatchObject({ choices: (await field("cf_size"))?.choices });
});

test("label and settings change, and name and type don't", async () => {
  await openPage();
  await edit("Notes");
  await dialog().getByRole("textbox", { name: "Label" }).fill("Remarks");
  expect(await dialog().getByRole("textbox", { name: "Name in the API" }).inputValue()).toBe("cf_notes");
  expect(await dialog().getByRole("button", { name: /Type/ }).isDisabled()).toBe(true);
  await dialog().getByText("Agents can change the value").click();
  await save("Remarks");
  expect(await field("cf_notes")).toMatchObject({ label: "Remarks", type: "PARAGRAPH", editable: false });
});

test("the priority keeps its choices and can't be deleted", async () => {
  await openPage();
  expect(await page.getByRole("button", { name: "Delete Priority" }).count()).toBe(0);
  await edit("Priority");
  await dialog().getByText("The choices of the priority are fixed.").waitFor();
  await dialog().getByRole("textbox", { name: "Label" }).fill("Urgency");
  await save("Urgency");
  expect(await choicesOf("priority")).toEqual(["Low", "Medium", "High", "Urgent"]);
  expect(await field("priority")).toMatchObject({ label: "Urgency" });
});

test("properties that are moved have the order of the page in the API", async () => {
  await openPage();
  const names = (await fields()).map(({ name }) => name);
  const labels = (await fields()).map(({ label }) => label);
  await page.getByRole("button", { name: `Move ${labels[2]} up` }).click();
  await page.getByText(`${labels[2]} moved.`).waitFor();
  expect((await fields()).map(({ name }) => name)).toEqual([names[0], names[2], names[1], ...names.slice(3)]);
});

describe("what the service would refuse is said at its field, and changes nothing", () => {
  test("a missing label, and choices that are missing or twice", async () => {
    const before = await fields();
    await openPage();
    await page.getByRole("button", { name: "New property" }).click();
    await dialog().getByRole("button", { name: /Type/ }).click();
    await page.getByRole("option", { name: "One of several choices" }).click();
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("Give the property a label.").waitFor();
    await dialog().getByText("Enter a text, or remove the choice.").waitFor();
    await choice(1).fill("A");
    await dialog().getByRole("button", { name: "Add a choice" }).click();
    await choice(2).fill("A ");
    await dialog().getByText("Another choice has this text.").waitFor();
    await dialog().getByRole("button", { name: "Remove A" }).first().click();
    await dialog().getByRole("button", { name: "Remove A" }).click();
    await dialog().getByText("Add at least one choice.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    expect(await fields()).toEqual(before);
  });

  test("a choice and a property that an open conversation has", async () => {
    const account = consoleAccount(s);
    const conversation = await s.beginConversation("Rita Reason", "I want to complain.");
    await account.change(conversation.id, { properties: { cf_reason: "Complaint" } });
    const before = await fields();
    await openPage();
    await edit("Reason for contact");
    await dialog().getByRole("button", { name: "Remove Complaint" }).click();
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog()
      .getByText(/The choice Complaint of cf_reason can't be removed/)
      .waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete Reason for contact" }).click();
    const confirm = page.getByRole("alertdialog");
    await confirm.getByRole("button", { name: "Delete Reason for contact" }).click();
    await confirm.getByText(/The field cf_reason can't be removed/).waitFor();
    await confirm.getByRole("button", { name: "Cancel" }).click();
    expect(await fields()).toEqual(before);
  });
});

test("a deleted property is gone from the API", async () => {
  await openPage();
  await page.getByRole("button", { name: "Delete Due date" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete Due date" }).click();
  await page.getByText("Due date deleted.").waitFor();
  expect(await field("cf_due_date")).toBeUndefined();
});

campaignTest.each([
  ["wide and light", { viewport: { width: 1_440, height: 900 } }],
  ["narrow and dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" as const }],
])("page and dialog have no violation and don't scroll sideways: %s", async (_name, options) => {
  const agent = await s.visit(undefined, options);
  await agent.open("/console/admin/fields");
  await agent.page.getByRole("table", { name: "Conversation properties" }).waitFor();
  expect(await accessibilityViolations(agent.page)).toEqual([]);
  await agent.page.getByRole("button", { name: "Change Size" }).click();
  await agent.page.getByRole("dialog").waitFor();
  expect(await accessibilityViolations(agent.page)).toEqual([]);
  await agent.close();
});

test("a stand-alone account says that it has no properties, and how it gets some", async () => {
  const account = consoleAccount(s);
  await account.apply({ bundle: { id: 0, type: "STANDALONE" } });
  await owner.open("/console/admin/fields");
  await page.getByText("This account has no conversation properties").waitFor();
  await page.getByText("The operator of this installation decides about the bundle").waitFor();
  expect(await page.getByRole("button", { name: "New property" }).count()).toBe(0);
});

test("the browser reported no errors but the refused changes", () => {
  expect(owner.errors.filter((error) => !/status of 409/.test(error))).toEqual([]);
});
