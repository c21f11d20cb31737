import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../../packages/framework/test/front/front-fixture.ts";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";
import { ENTERED, FILES } from "./account-pages.ts";

/** The page of the web messenger: what a site contains, and the lists of sites and of aliases. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
  await owner.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});
afterAll(() => s.stop());

const ORIGINS = "Sites that can show the messenger";
const ALIASES = "Tokens, site ids and numbers";
const openPage = async () => {
  await owner.open("/console/admin/messenger");
  await page.getByRole("heading", { name: "Web messenger", level: 1 }).waitFor();
};
const list = (label: string) => page.getByRole("textbox", { name: label, exact: true });
const form = (label: string) => page.locator("form").filter({ has: list(label) });
const save = (label: string) => form(label).getByRole("button", { name: "Save" }).click();
const stored = async () => (await consoleAccount(s).document()).messenger;

test("the code for pages names this service and the account, and is copied", async () => {
  await openPage();
  await page.getByRole("button", { name: "Copy Code for your pages" }).click();
  await page.getByText("Code for your pages copied.").waitFor();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  expect(code).toContain(`src="${s.origin}/js/widget.js?account=acme"`);
});

describe("the list of sites", () => {
  test.each([
    ["shop.example", "“shop.example” is not the address of a site."],
    ["https://shop.example/cart", "Enter https://shop.example instead."],
    ["https://Shop.Example", "Enter https://shop.example instead."],
    ["ftp://shop.example", "“ftp://shop.example” is not the address of a site."],
    ["https://*", "“https://*” is not the address of a site."],
  ])("%s is refused at the field, and nothing is saved", async (entry, reason) => {
    const before = await stored();
    await openPage();
    await list(ORIGINS).fill(`https://first.example\n${entry}`);
    await save(ORIGINS);
    await form(ORIGINS).getByText(reason).waitFor();
    expect(await list(ORIGINS).getAttribute("aria-invalid")).toBe("true");
    expect(await stored()).toEqual(before);
    await list(ORIGINS).fill("");
  });

  test("is saved without empty and repeated lines, and an empty list opens the messenger to every site again", async () => {
    await openPage();
    await list(ORIGINS).fill("https://shop.example\n\n  https://*.shop.example:8443 \nhttps://shop.example\n");
    await save(ORIGINS);
    await page.getByText("The sites were saved.").waitFor();
    expect((await stored())?.origins?.toSorted()).toEqual(["https://*.shop.example:8443", "https://shop.example"]);
    await openPage();
    await list(ORIGINS).fill("");
    await save(ORIGINS);
    await page.getByText("Any site can show the messenger now.").waitFor();
    expect((await stored())?.origins ?? []).toEqual([]);
  });

  test("an entered text that was not saved is there again when the page was left", async () => {
    await openPage();
    await list(ORIGINS).fill("https://later.example");
    await page.getByRole("link", { name: "Topics", exact: true }).click();
    await page.getByRole("heading", { name: "Topics", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Web messenger" }).click();
    await eventually(async () => expect(await list(ORIGINS).inputValue()).toBe("https://later.example"));
    await form(ORIGINS).getByRole("button", { name: "Discard" }).click();
    expect(await list(ORIGINS).inputValue()).toBe("");
  });
});

describe("the appearance", () => {
  const field = (name: string) => page.getByRole("textbox", { name, exact: true });
  const look = () => page.getByRole("region", { name: "Appearance" });
  const saveButton = () => look().getByRole("button", { name: "Save" });
  const choose = async (name: RegExp, option: string) => {
    await look().getByRole("button", { name }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  const panel = () => page.frameLocator("iframe[title='Preview of the messenger']");
  const headerColors = () =>
    panel()
      .locator("header")
      .evaluate((header) => [getComputedStyle(header).backgroundColor, getComputedStyle(header).color]);

  test("what the service would refuse is said at the field, and nothing is saved", async () => {
    const before = await stored();
    await openPage();
    await field("Brand colour").fill("red");
    await field("Distance from the side, in pixels").fill("201");
    await saveButton().click();
    await look().getByText("Enter a colour with six digits, such as #14532d.").waitFor();
    await look().getByText("Enter a whole number from 0 to 200.").waitFor();
    expect(await field("Brand colour").getAttribute("aria-invalid")).toBe("true");
    expect(await stored()).toEqual(before);
    await field("Brand colour").fill("");
    await field("Distance from the side, in pixels").fill("");
  });

  test("the messenger itself shows an entered look before it is saved, and nobody begins a visit by it", async () => {
    const requests: string[] = [];
    page.on("request", (request) => void (request.method() === "GET" || requests.push(request.url())));
    await openPage();
    await field("Brand colour").fill("#ffd400");
    await field("Text on the brand colour").fill("#ffffff");
    await field("Heading").first().fill("Ask the workshop");
    await panel().getByRole("heading", { name: "Ask the workshop", includeHidden: true }).waitFor();
    await eventually(async () => expect(await headerColors()).toEqual(["rgb(255, 212, 0)", "rgb(0, 0, 0)"]));
    await look().getByText("#ffffff has a contrast of 1.4").waitFor();

    await field("Brand colour in dark mode").fill("#14532d");
    await choose(/Mode$/, "Dark");
    await choose(/View$/, "Conversation");
    await eventually(async () => expect(await headerColors()).toEqual(["rgb(20, 83, 45)", "rgb(255, 255, 255)"]));
    await panel().getByText("Hello, is the blue lamp in stock?").waitFor();
    expect(await panel().locator("body").getAttribute("inert")).toBe("");
    expect(requests).toEqual([]);
    expect(
      await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("parley-messenger "))),
    ).toEqual([]);
    expect((await stored())?.look ?? {}).toEqual({});
  });

  test("a look with all members is exported as it was entered", async () => {
    const { texts, ...entered } = ENTERED.messenger.look;
    const chooser = page.waitForEvent("filechooser");
    await look().getByRole("button", { name: "Upload a picture" }).click();
    await (await chooser).setFiles(FILES.slice(0, 1));
    await eventually(async () => expect(await field("Picture of the business").inputValue()).toContain("/objects/"));
    await choose(/Position$/, "Left");
    await choose(/Size of the button$/, "Large");
    await choose(/Size of the panel$/, "Compact");
    await field("Distance from the bottom, in pixels").fill(String(entered.bottom_px));
    await field("Distance from the side, in pixels").fill(String(entered.side_px));
    await look().getByText("Show the label of the button").click();
    await field("Text below the heading").fill(texts.en.help);
    await field("Text in the empty message field").fill(texts.en.message_field);
    await field("Text outside of the business hours").fill(texts.en.away);
    await field("Label of the button").fill(texts.en.button_label);
    await look().getByRole("button", { name: "Add a language" }).click();
    await field("Another language, by its code").fill("es-MX");
    await page.getByRole("button", { name: "Choose", exact: true }).click();
    const spanish = look().getByRole("region", { name: "Mexican Spanish" });
    await spanish.getByRole("textbox", { name: "Heading", exact: true }).fill(texts["es-MX"].title);
    await saveButton().click();
    await page.getByText("The appearance was saved.").waitFor();
    expect((await stored())?.look).toEqual(ENTERED.messenger.look);
    expect(await accessibilityViolations(page)).toEqual([]);
  });
});

describe("the list of aliases", () => {
  test("a saved alias of numbers shows its script, a token the host", async () => {
    await openPage();
    const { aliases } = ENTERED.messenger;
    await list(ALIASES).fill(aliases.join("\n"));
    await save(ALIASES);
    await page.getByText("The tokens and ids were saved.").waitFor();
    const script = page.getByRole("textbox", { name: "Script with the numbers 4711/42" });
    expect(await script.inputValue()).toContain(`src="${s.origin}/4711/42.js"`);
    const host = page.getByRole("textbox", { name: "Host for pages with a token or a site id" });
    expect(await host.inputValue()).toBe(s.origin);
    expect((await stored())?.aliases).toEqual(aliases.toSorted());
  });

  test("an alias of another account is refused by the service, which the field says", async () => {
    await s.administer("PUT", "/admin/accounts/lamps", { name: "lamps", messenger: { aliases: ["taken-token"] } });
    await openPage();
    await list(ALIASES).fill("taken-token");
    await save(ALIASES);
    await form(ALIASES).getByText("has taken-token, which is an alias of another account").waitFor();
    expect(await list(ALIASES).getAttribute("aria-invalid")).toBe("true");
    expect((await stored())?.aliases).not.toContain("taken-token");
    owner.errors.splice(0);
  });
});

test("sites of all forms are exported as they were entered", async () => {
  const { origins } = ENTERED.messenger;
  await openPage();
  await list(ORIGINS).fill(origins.join("\n"));
  await save(ORIGINS);
  await page.getByText("The sites were saved.").last().waitFor();
  expect((await stored())?.origins).toEqual(origins.toSorted());
});

test("the switches of privacy take effect at once, each without the other", async () => {
  await openPage();
  const section = page.getByRole("region", { name: "Privacy" });
  const press = (name: string) => section.getByText(name).click();
  const shows = "Agents see the page and the language of the customer";
  const asks = "Ask for consent before anything is stored";
  await press(shows);
  await eventually(async () => expect((await stored())?.privacy).toEqual({ is_page_shown: true }));
  await press(asks);
  await eventually(async () =>
    expect((await stored())?.privacy).toEqual({ is_page_shown: true, is_consent_required: true }),
  );
  await openPage();
  expect(await section.getByRole("switch", { name: shows }).isChecked()).toBe(true);
  await press(shows);
  await eventually(async () =>
    expect((await stored())?.privacy).toEqual({ is_page_shown: false, is_consent_required: true }),
  );
  await press(asks);
  await eventually(async () => expect((await stored())?.privacy?.is_consent_required).toBe(false));
});

test("agents without the role of an admin don't see the page", async () => {
  const { email } = await consoleAccount(s).agent({ name: "Sue Super", role: "SUPER_USER" });
  const agent = await s.visit(email);
  await agent.open("/console/admin/messenger");
  await agent.page.getByText("Your role may not see this page").waitFor();
  await agent.close();
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
