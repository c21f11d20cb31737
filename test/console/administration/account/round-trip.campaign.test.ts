import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccountDocument, AccountSection, MessagePart } from "@parley/contract";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../../packages/framework/test/front/front-fixture.ts";
import { ENTERED, FILES, OPERATOR_CHANGES, REFUSED_PARTS } from "./account-pages.ts";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** What the pages save is what `parley account export` prints, for entries that have all members. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const dialog = () => page.getByRole("dialog");
const fill = (name: string, text: string) => dialog().getByRole("textbox", { name, exact: true }).fill(text);
const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
const choose = async (name: RegExp, option: string) => {
  await dialog().getByRole("button", { name }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
};
const begin = async (path: string, button: string) => {
  await owner.open(`/console/admin/${path}`);
  await press(button);
  await dialog().waitFor();
};
const save = async (notice: string) => {
  await dialog().getByRole("button", { name: "Save" }).click();
  await page.getByText(notice).last().waitFor();
  await dialog().waitFor({ state: "detached" });
};

const withId = (entry: object): object => ({ id: expect.any(String), ...entry });
/** The entry of the export that has the name of an entered one is equal to it, but for what the service makes. */
const expectExported = async (section: AccountSection) => {
  const exported: readonly object[] = (await consoleAccount(s).document())[section] ?? [];
  const hasIds = section !== "templates" && section !== "business_hours";
  for (const entry of ENTERED[section]) {
    const key = "name" in entry ? { name: entry.name } : { group: entry.group };
    const found = exported.find((each) =>
      Object.entries(key).every(([name, value]) => Reflect.get(each, name) === value),
    );
    const expected = "choices" in entry ? { ...entry, choices: entry.choices.map(withId) } : entry;
    expect(found).toEqual(hasIds ? withId(expected) : expected);
  }
};

describe("an entry with all its members, made by pages alone, is exported as it was entered", () => {
  const [topic] = ENTERED.channels;
  const language = (name: string) => dialog().getByRole("region", { name, exact: true });
  const upload = async (button: string, files: typeof FILES) => {
    const chooser = page.waitForEvent("filechooser");
    await dialog().getByRole("button", { name: button }).first().click();
    await (await chooser).setFiles(files);
  };
  const addPart = async (kind: string) => {
    await language("English").getByRole("button", { name: "Add a part" }).click();
    await page.getByRole("menuitem", { name: kind }).click();
  };

  test("a topic, whose welcome message has uploaded and linked parts, which customers see", async () => {
    await begin("topics", "New topic");
    const english = language("English");
    await english.getByRole("textbox", { name: "Name" }).fill(topic.name);
    await english.getByRole("textbox", { name: "Welcome message" }).fill("Welcome to the workshop.");
    await upload("Upload pictures or files", FILES);
    await english.getByRole("textbox", { name: "Video 1: address" }).waitFor();
    await addPart("Button that opens an address");
    await fill("Button 1: label", "Book a time");
    await fill("Button 1: address", "https://acme.example/book");
    await english.getByRole("button", { name: "Move Button 1 up" }).click();
    await english.getByRole("button", { name: "Move Button 1 up" }).click();
    await addPart("Video by its address");
    await english.getByRole("button", { name: "Remove Video 2" }).click();
    await addPart("File by its address");
    await fill("File 2: name", "Prices");
    await fill("File 2: address", "https://acme.example/prices.pdf");
    await addPart("Text");
    await fill("Text 2", "What is broken?");
    await dialog().getByRole("button", { name: "Add a language" }).click();
    await page.getByRole("textbox", { name: "Another language, by its code" }).fill("es-MX");
    await press("Choose");
    await language("Mexican Spanish").getByRole("textbox", { name: "Name" }).fill("Taller");
    await language("Mexican Spanish").getByRole("textbox", { name: "Welcome message" }).fill("¿Qué se rompió?");
    await dialog().getByText("Visible to customers").click();
    await fill("New tag", "indoors, heated");
    await dialog().getByRole("button", { name: "Add the tag" }).click();
    await fill("New tag", "repairs");
    await upload("Upload a picture", FILES.slice(0, 1));
    await eventually(async () =>
      expect(await dialog().getByRole("textbox", { name: "Address of the icon" }).inputValue()).toContain("/objects/"),
    );
    expect(await accessibilityViolations(page)).toEqual([]);
    await save("Workshop saved.");
    await expectExported("channels");

    const { channels } = await s.client.channels.listChannels({ query: { items_per_page: 100 } });
    const shown = channels.find(({ name }) => name === topic.name);
    const parts = shown?.welcome_message?.message_parts ?? [];
    expect(parts).toEqual(topic.welcome_message.message_parts);
    const addresses = [
      shown?.icon.url,
      ...parts.flatMap(({ image, file, video }) => image?.url ?? file?.url ?? video?.url ?? []),
    ];
    const own = addresses.filter((address = "") => address.includes("/objects/"));
    expect(own).toHaveLength(4);
    for (const address of own) expect((await fetch(address ?? "")).status).toBe(200);
  });

  test("the messenger of a test customer shows the parts once the topic is public", async () => {
    await consoleAccount(s).apply({ channels: [{ name: topic.name, public: true }] });
    await owner.open("/console/admin");
    await page.getByRole("button", { name: "Write as a customer" }).click();
    const panel = page.getByRole("complementary", { name: "Try it as a customer" }).frameLocator("iframe");
    await panel.getByRole("button", { name: new RegExp(`^${topic.name}`) }).click();
    const thread = panel.getByRole("region", { name: "Conversation" });
    await thread.getByText("What is broken?").waitFor();
    expect(await thread.getByRole("link", { name: /Book a time/ }).getAttribute("href")).toBe(
      "https://acme.example/book",
    );
    expect(await thread.getByRole("link", { name: /guide.txt/ }).getAttribute("href")).toContain("/objects/uploads/");
    // The bytes are not a video: a link replaces it once the browser has tried to load it.
    await eventually(async () =>
      expect(await thread.locator('a[href*="/objects/uploads/"]').count()).toBeGreaterThanOrEqual(2),
    );
    await eventually(async () =>
      expect(await thread.locator("img").evaluate((image): unknown => Reflect.get(image, "naturalWidth"))).toBe(1),
    );
  });

  test("a group, and whether conversations are assigned automatically", async () => {
    await consoleAccount(s).apply({ automatic_assignment: false });
    await begin("groups", "New group");
    await fill("Name", "Mechanics");
    await fill("Description", "Repairs of all kinds");
    await page.getByRole("radio", { name: /^In turn/ }).check({ force: true });
    await page.getByRole("checkbox", { name: /^Only to agents who are signed in/ }).uncheck({ force: true });
    await fill("Id in the organisation", "org-mechanics");
    await save("Mechanics saved.");
    await page.getByText("Assign conversations automatically", { exact: true }).click();
    await eventually(async () => expect((await consoleAccount(s).document()).automatic_assignment).toBe(true));
    await expectExported("groups");
  });

  test("a role and a status", async () => {
    await begin("roles", "New role");
    await fill("Name", "Foreman");
    await fill("Description", "Assigns repairs.");
    await save("Foreman saved.");
    await press("New status");
    await fill("Name", "In the workshop");
    await choose(/Availability/, "Not available");
    await save("In the workshop saved.");
    await expectExported("roles");
    await expectExported("statuses");
  });

  test("a property, with a name of its own and its place in the list", async () => {
    await begin("fields", "New property");
    await fill("Label", "Damage");
    await fill("Name in the API", "cf_damage_kind");
    await choose(/Type/, "Several of several choices");
    await fill("Choice 1", "Cable");
    await dialog().getByRole("button", { name: "Add a choice" }).click();
    await fill("Choice 2", "Lamp");
    await dialog().getByText("Required", { exact: true }).click();
    await dialog().getByText("Agents can change the value").click();
    await save("Damage saved.");
    const index = async () => (await s.client.fields.listFields()).findIndex(({ name }) => name === "cf_damage_kind");
    for (let before = await index(); before > 0; before -= 1) {
      await press("Move Damage up");
      await eventually(async () => expect(await index()).toBe(before - 1));
    }
    await expectExported("fields");
  });

  test("templates with a text and with a picture as their header", async () => {
    await begin("outbound-templates", "New template");
    await fill("Namespace", "acme_workshop");
    await fill("Name", "ready");
    await fill("Language", "es_MX");
    await choose(/Status/, "Approved");
    await choose(/Header/, "Text");
    await fill("Text of the header", "Repair {{1}}");
    await fill("Text", "Hi {{1}}, your {{2}} is ready.");
    await dialog().getByRole("button", { name: "Add a button" }).click();
    await fill("Button 1: label", "Pick it up");
    await fill("Button 1: address", "https://acme.example/{{1}}");
    await save("ready saved.");
    await press("New template");
    await fill("Namespace", "acme_workshop");
    await fill("Name", "photo");
    await fill("Language", "en");
    await choose(/Header/, "Picture");
    await fill("Text", "This is your lamp.");
    await save("photo saved.");
    await expectExported("templates");
  });

  test("business hours of a group", async () => {
    await begin("business-hours", "New business hours");
    await choose(/For$/, "Mechanics");
    await dialog()
      .getByRole("button", { name: /Time zone/ })
      .click();
    await page.getByRole("searchbox", { name: "Time zone" }).fill("Auckland");
    await page.getByRole("option", { name: /Auckland/ }).click();
    await fill("Monday, hours 1: from", "8");
    await fill("Monday, hours 1: to", "12:30");
    await dialog().getByRole("button", { name: "Copy the hours of Monday" }).click();
    await page.getByRole("menuitem", { name: "To all days" }).click();
    await dialog().getByRole("button", { name: "Add hours on Sunday" }).click();
    await fill("Sunday, hours 2: from", "22");
    for (const day of ENTERED.business_hours[0].holidays) {
      await dialog().getByLabel("Day", { exact: true }).fill(day);
      await dialog().getByRole("button", { name: "Add the day" }).click();
    }
    await save("Hours saved: Mechanics.");
    await expectExported("business_hours");
  });
});

test("the export, applied again, changes nothing", async () => {
  const command = consoleAccount(s);
  expect(await command.apply(await command.document())).toEqual([]);
});

test("the primary language can be one that no list offers", async () => {
  const { channels = [] } = await consoleAccount(s).document();
  await consoleAccount(s).apply({
    channels: channels.map(({ name }) => ({ name, locales: { "es-MX": { name: `${name} (es)` } } })),
  });
  await owner.open("/console/admin/account");
  await page.getByRole("button", { name: /Primary language/ }).click();
  await page.getByRole("textbox", { name: "Another language, by its code" }).fill(ENTERED.primary_locale);
  await press("Choose");
  await press("Save");
  await page.getByText("The primary language is Mexican Spanish.").waitFor();
  expect((await consoleAccount(s).document()).primary_locale).toBe(ENTERED.primary_locale);
  await consoleAccount(s).apply({ primary_locale: "en" });
});

describe("members that no page edits", () => {
  test("parts that only programs make, the kind of the message and ids stay when a page changes the text", async () => {
    const link: MessagePart = { url_button: { label: "Shop", url: "https://acme.example", target: "_blank" } };
    const message = (content: string) => ({
      message_type: "private" as const,
      message_parts: [link, { text: { content } }, { collection: { sub_parts: [link] } }],
    });
    await consoleAccount(s).apply({ channels: [{ name: "Programs", welcome_message: message("Hi") }] });
    const read = async () => (await consoleAccount(s).document()).channels?.find(({ name }) => name === "Programs");
    const before = await read();
    await owner.open("/console/admin/topics");
    await press("Change Programs");
    await fill("Welcome message", "Good day");
    await save("Programs saved.");
    expect(await read()).toEqual({ ...before, welcome_message: message("Good day") });
  });

  test.each(Object.entries(OPERATOR_CHANGES))("%s is refused to a session, and stays", async (member, value) => {
    const { admin } = owner.administration;
    const params = { account: "acme" };
    const before = await admin.getAccount({ params });
    const body = { name: "acme", [member]: value } as AccountDocument;
    await expect(admin.applyAccount({ params, body })).rejects.toMatchObject({
      problem: { code: member === "name" ? 400 : 403 },
    });
    expect({ ...(await admin.getAccount({ params })), channels: [] }).toEqual({ ...before, channels: [] });
  });

  test.each(Object.entries(REFUSED_PARTS))("a welcome message with %s is refused", async (kind, part) => {
    const welcome_message = { message_parts: [{ [kind]: part }] };
    const apply = owner.administration.admin.applyAccount({
      params: { account: "acme" },
      query: { dry_run: true },
      body: { name: "acme", channels: [{ name: "Refused", welcome_message }] },
    });
    await expect(apply).rejects.toMatchObject({ problem: { code: 400, status: "INVALID_VALUE" } });
  });
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
