import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The page of topics: customers see the saved topics. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const table = () => page.getByRole("table", { name: "Topics" });
const row = (name: string) =>
  table()
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name }) });
const dialog = () => page.getByRole("dialog");
const language = (name: string) => dialog().getByRole("region", { name, exact: true });
const openPage = async () => {
  await owner.open("/console/admin/topics");
  await table().waitFor();
};
const save = async (name: string) => {
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText(`${name} saved.`).last().waitFor();
  await dialog().waitFor({ state: "detached" });
};
const edit = (name: string) => page.getByRole("button", { name: `Change ${name}`, exact: true }).click();
const channels = async (locale?: string) =>
  (await s.client.channels.listChannels({ query: { items_per_page: 100, ...(locale !== undefined && { locale }) } }))
    .channels;
const channel = async (name: string, locale?: string) => (await channels(locale)).find((each) => each.name === name);

test("a changed welcome message shows in GET /channels, the other parts of the message stay, and so does the order", async () => {
  const link = { url_button: { url: "https://acme.example/help", label: "Help" } };
  await consoleAccount(s).apply({
    channels: [{ name: "Sales", welcome_message: { message_parts: [link, { text: { content: "Hi" } }, link] } }],
  });
  const before = (await channels()).map(({ name }) => name);
  await openPage();
  await row("Sales").getByText("Hi", { exact: true }).waitFor();
  await edit("Sales");
  await dialog().getByRole("textbox", { name: "Button 2: label" }).waitFor();
  await language("English")
    .getByRole("textbox", { name: "Welcome message" })
    .fill("Good day! What are you looking for?");
  await language("English").getByRole("figure").getByText("Good day! What are you looking for?").waitFor();
  await save("Sales");
  expect((await channel("Sales"))?.welcome_message?.message_parts).toEqual([
    link,
    { text: { content: "Good day! What are you looking for?" } },
    link,
  ]);
  expect((await channels()).map(({ name }) => name)).toEqual(before);
});

test("a new topic has its settings and languages in the API and in the exported document, and is the last topic", async () => {
  await openPage();
  await page.getByRole("button", { name: "New topic" }).click();
  await language("English").getByRole("textbox", { name: "Name" }).fill("Repairs");
  await dialog().getByRole("button", { name: "Add a language" }).click();
  await page.getByRole("searchbox", { name: "Add a language" }).fill("Germ");
  await page.getByRole("option", { name: "German" }).click();
  await language("German").getByRole("textbox", { name: "Name" }).fill("Reparaturen");
  await language("German").getByRole("textbox", { name: "Welcome message" }).fill("Was ist kaputt?");
  await dialog().getByText("Visible to customers").click();
  await dialog().getByRole("textbox", { name: "New tag" }).fill("workshop, indoors");
  await page.keyboard.press("Enter");
  await dialog().getByRole("button", { name: "Remove the tag workshop, indoors" }).waitFor();
  await dialog().getByRole("textbox", { name: "New tag" }).fill("repairs");
  await dialog()
    .getByRole("textbox", { name: "Address of the icon" })
    .fill("data:image/gif;base64,R0lGODlhAQABAAAAACw=");
  await save("Repairs");
  expect((await channels()).at(-1)).toMatchObject({
    name: "Repairs",
    enabled: true,
    public: false,
    tags: ["workshop, indoors", "repairs"],
    icon: { url: "data:image/gif;base64,R0lGODlhAQABAAAAACw=" },
  });
  expect(await channel("Reparaturen", "de")).toMatchObject({
    locale: "de",
    welcome_message: { message_parts: [{ text: { content: "Was ist kaputt?" } }] },
  });
  const { channels: exported = [] } = await consoleAccount(s).document();
  expect(exported.at(-1)).toMatchObject({ name: "Repairs", locales: { de: { name: "Reparaturen" } } });
  await row("Repairs").getByText("German").waitFor();
  await row("Repairs").getByText("On pages with its tags").waitFor();
});

test("a removed language and an emptied welcome message are gone from the API, and other topics keep theirs", async () => {
  await openPage();
  await edit("Support");
  await language("Spanish").getByRole("button", { name: "Remove Spanish" }).click();
  await language("English").getByRole("textbox", { name: "Welcome message" }).fill("");
  await save("Support");
  expect(await channel("Support")).not.toHaveProperty("welcome_message");
  const spanish = (await channels("es")).map(({ name }) => name);
  expect(spanish).toContain("Ventas");
  expect(spanish).not.toContain("Soporte");
});

test("a topic that is turned off is off in the API", async () => {
  await openPage();
  await edit("Returns");
  await dialog().getByText("The topic is on").click();
  await save("Returns");
  expect(await channel("Returns")).toMatchObject({ enabled: false });
  await row("Returns").getByText("Off", { exact: true }).waitFor();
});

test("topics that are moved have the order of the page in GET /channels", async () => {
  await openPage();
  const names = (await channels()).map(({ name }) => name);
  const [first = "", second = "", ...others] = names;
  await page.getByRole("button", { name: `Move ${second} up` }).click();
  await page.getByText(`${second} moved.`).last().waitFor();
  expect((await channels()).map(({ name }) => name)).toEqual([second, first, ...others]);
  await eventually(async () => expect(await table().getByRole("rowheader").first().innerText()).toContain(second));
  // At the end of the list the focus goes to the button that still works.
  await eventually(() =>
    expect(page.evaluate("document.activeElement?.getAttribute('aria-label')")).resolves.toBe(`Move ${second} down`),
  );
  await page.keyboard.press("Enter");
  await eventually(async () => expect((await channels()).map(({ name }) => name)).toEqual(names));
});

describe("what the service would refuse is said at its field, and changes nothing", () => {
  test("a name that is missing or taken, and an icon that is not a picture", async () => {
    const before = await channels();
    await openPage();
    await page.getByRole("button", { name: "New topic" }).click();
    await dialog().getByRole("textbox", { name: "Address of the icon" }).fill("javascript:alert(1)");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("Give the topic a name.").waitFor();
    await dialog().getByText("Enter the address of a picture").waitFor();
    await language("English").getByRole("textbox", { name: "Name" }).fill("Sales");
    await dialog().getByText("Another topic has this name.").waitFor();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    expect(await channels()).toEqual(before);
  });

  test("the deletion of a topic with an open conversation", async () => {
    const { id = "" } = (await channel("Billing")) ?? {};
    await s.beginConversation("Bill Payer", "What is this?", id);
    await openPage();
    await page.getByRole("button", { name: "Delete Billing" }).click();
    const confirm = page.getByRole("alertdialog");
    await confirm.getByRole("button", { name: "Delete Billing" }).click();
    await confirm.getByText("an open conversation is in it").waitFor();
    await confirm.getByRole("button", { name: "Cancel" }).click();
    expect(await channel("Billing")).toBeDefined();
  });
});

test("a deleted topic is gone from the API and from the choices of agents", async () => {
  await openPage();
  await page.getByRole("button", { name: "Delete Holiday orders" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete Holiday orders" }).click();
  await page.getByText("Holiday orders deleted.").waitFor();
  await row("Holiday orders").waitFor({ state: "detached" });
  expect(await channel("Holiday orders")).toBeUndefined();
});

test("the browser reported no errors but the refused deletion", () => {
  expect(owner.errors.filter((error) => !/status of 409/.test(error))).toEqual([]);
});
