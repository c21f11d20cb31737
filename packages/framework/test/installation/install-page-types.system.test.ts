import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { KEY } from "../support/fake-account.ts";
import { fixtureFolder, installFixture, STORED, SUFFIX, type PageVisit } from "./install-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

let visit: PageVisit;
let page: Page;

const fixture = fileFixture(() => installFixture(fixtureFolder("install-types")));
beforeEach(async () => {
  visit = await fixture.visit();
  page = visit.page;
});
afterEach(async () => {
  expect(visit.errors).toEqual([]);
  await visit.leave();
});

const save = () => page.getByRole("button", { name: /^(Install|Save changes)$/ }).click();
const errorOf = (key: string) => page.locator(`[data-field]:has([id="${key}"]) [data-part=error]`);
const notice = () => page.locator("[data-notice]");

describe("the installation page before an installation", () => {
  test("shows the app and each parameter with its label, hint, default and requirement", async () => {
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Install types");
    expect(await page.getByText("Greets every customer by name").isVisible()).toBe(true);
    expect(await page.getByRole("textbox", { name: "Bot name (required)" }).inputValue()).toBe("Concierge");
    expect(await page.getByRole("textbox", { name: "Welcome" }).inputValue()).toBe("Hi! How can we help you today?");
    expect(await page.getByRole("combobox", { name: "Team" }).inputValue()).toBe("");
    expect(await page.getByRole("radio", { name: "Friendly" }).isChecked()).toBe(true);
    const days = page.getByRole("group", { name: "Days" }).getByRole("checkbox", { checked: true });
    expect(await days.evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value))).toEqual([
      "Monday",
      "Friday",
    ]);
    expect(await page.getByRole("checkbox", { name: "Greet at night" }).isChecked()).toBe(false);
    expect(await page.locator("[id=email]").getAttribute("type")).toBe("email");
    expect(await page.getByText("Customers see this name above the greeting.").isVisible()).toBe(true);
    expect(await page.getByLabel("Internal note").isVisible()).toBe(false);
  });

  test("gives every control its key as id and a reference to its hint", async () => {
    for (const key of Object.keys(fixture.host.project().iparams)) {
      const described = await page.locator(`[id="${key}"]`).getAttribute("aria-describedby");
      for (const id of described?.split(" ") ?? [""]) expect(await page.locator(`[id="${id}"]`).count()).toBe(1);
    }
  });

  test("shows protocol and domain around a domain's account name", async () => {
    const field = page.locator("[data-field]:has([id=domain])");
    expect((await field.locator(".affix").allTextContents()).join("|")).toBe(`https://|${SUFFIX}`);
    await page.fill("[id=domain]", `https://Acme${SUFFIX}/some/page`);
    await page.locator("[id=domain]").blur();
    expect(await page.inputValue("[id=domain]")).toBe("acme");
  });

  test("reports empty required parameters at their fields and in a summary that gets the focus and links to them", async () => {
    await page.fill("[id=bot_name]", "");
    await save();
    await notice().getByText("Validation failed.").waitFor();
    expect(await notice().evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await notice().getByRole("link").allTextContents()).toEqual([
      "Account: This field is required!",
      "API key: This field is required!",
      "Bot name: This field is required!",
    ]);
    expect(await errorOf("bot_name").textContent()).toBe("This field is required!");
    expect(await page.getAttribute("[id=bot_name]", "aria-invalid")).toBe("true");
    await notice()
      .getByRole("link", { name: /^Bot name/ })
      .click();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("bot_name");
    await page.keyboard.type("Ada");
    expect(await errorOf("bot_name").textContent()).toBe("");
    expect(await page.getAttribute("[id=bot_name]", "aria-invalid")).toBeNull();
    expect(page.url()).toBe(`${fixture.host.url}/custom_configs`);
  });

  test.each([
    ["limit", "12345678901", "Enter a whole number of at most 10 digits."],
    ["email", "nobody", "Enter an email address, such as name@example.com."],
    ["site", "example", "Enter an address that begins with https:// or http://."],
    ["phone", "call me", "Enter a phone number of 7 to 15 digits, such as +1 202 555 0147."],
    ["domain", "my account", "Enter the account name only: letters, digits and hyphens."],
    ["bot_name", "A name of very many letters indeed", "Use at most 30 characters."],
    ["bot_name", "R2D2", "Use letters and spaces only."],
  ])(
    "reports for %s the entry %s when the field loses the focus, and clears the error during correction",
    async (key, wrong, message) => {
      await page.fill(`[id=${key}]`, wrong);
      expect(await errorOf(key).textContent()).toBe("");
      await page.keyboard.press("Tab");
      await expect(errorOf(key).getByText(message).waitFor()).resolves.toBeUndefined();
      await page.fill(`[id=${key}]`, "");
      expect(await errorOf(key).textContent()).toBe("");
    },
  );

  test("reports a key that the account doesn't know at the key, together with errors that the page finds by itself", async () => {
    await page.fill("[id=domain]", "acme");
    await page.fill("[id=api_key]", "not-the-key");
    await page.fill("[id=bot_name]", "");
    await save();
    await notice().getByText("Validation failed.").waitFor();
    expect(await notice().getByRole("link").allTextContents()).toEqual([
      "API key: Domain or API key is not matching",
      "Bot name: This field is required!",
    ]);
    await page.fill("[id=bot_name]", "Ada");
    await save();
    await errorOf("api_key").getByText("Domain or API key is not matching").waitFor();
    expect(await notice().getByRole("heading").textContent()).toBe("Validation failed.");
  });

  test("shows another product's domain with its own suffix, and says that its key isn't checked", async () => {
    const field = page.locator("[data-field]:has([id=helpdesk])");
    expect((await field.locator(".affix").allTextContents()).join("…")).toBe("https://….freshdesk.com");
    await page.fill("[id=helpdesk]", "https://Desk.freshdesk.com/a/tickets");
    await page.keyboard.press("Tab");
    expect(await page.inputValue("[id=helpdesk]")).toBe("desk");
    const key = page.locator("[data-field]:has([id=helpdesk_key])");
    expect(await key.textContent()).toContain("it can’t be verified with freshdesk here");
  });

  test("can reveal a typed secret", async () => {
    await page.fill("[id=api_key]", KEY);
    await page.getByRole("button", { name: "Show API key" }).click();
    expect(await page.getAttribute("[id=api_key]", "type")).toBe("text");
  });
});

describe("an installation", () => {
  const PIN = "canary-4f1d9e";

  test("works with the keyboard alone and stores each value with its type", async () => {
    const at = () => page.evaluate(() => document.activeElement?.id ?? "");
    const to = async (key: string) => {
      for (let presses = 0; (await at()) !== key; presses += 1) {
        expect(presses).toBeLessThan(30);
        await page.keyboard.press("Tab");
      }
    };
    await to("domain");
    await page.keyboard.type("acme");
    await to("api_key");
    await page.keyboard.type(KEY);
    await to("team");
    await page.keyboard.press("S");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await to("limit");
    await page.keyboard.type("25");
    await to("password");
    await page.keyboard.type(PIN);
    await to("night");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await notice().getByText(STORED).waitFor();
    expect(await fixture.host.installation()).toMatchObject({
      domain: `acme${SUFFIX}`,
      values: {
        domain: `acme${SUFFIX}`,
        bot_name: "Concierge",
        welcome: "Hi! How can we help you today?",
        team: "Sales",
        tone: "Formal",
        days: ["Friday"],
        limit: 25,
        email: "",
        since: "",
        night: true,
        quiet: "from the app",
      },
    });
    expect(visit.requests.filter((address) => !address.startsWith(`${fixture.host.url}/custom_configs`))).toEqual([]);
  });

  test("is edited with its values; the secure values are masked and absent from the page", async () => {
    expect(await page.inputValue("[id=domain]")).toBe("acme");
    expect(await page.inputValue("[id=limit]")).toBe("25");
    expect(await page.getByRole("radio", { name: "Formal" }).isChecked()).toBe(true);
    for (const key of ["api_key", "password"]) {
      expect(await page.inputValue(`[id=${key}]`)).toBe("");
      expect(await page.locator(`[id=${key}]`).isVisible()).toBe(false);
    }
    expect(await page.getByText("Stored", { exact: true }).filter({ visible: true }).count()).toBe(2);
    const source = await (await fetch(`${fixture.host.url}/custom_configs`)).text();
    for (const secret of [KEY, PIN]) {
      expect(source).not.toContain(secret);
      expect(await page.content()).not.toContain(secret);
      expect(fixture.lines.join("\n")).not.toContain(secret);
    }
  });

  test("keeps secure values that stay empty and replaces typed ones", async () => {
    await page.fill("[id=welcome]", "Line one\nLine two");
    await page.getByRole("button", { name: "Replace Signing secret" }).click();
    await page.fill("[id=password]", "another");
    await page.fill("[id=helpdesk]", "desk");
    await page.fill("[id=helpdesk_key]", "nobody can say");
    await save();
    await notice().getByText(STORED).waitFor();
    expect(await page.inputValue("[id=password]")).toBe("");
    const installation = await fixture.host.installation();
    expect(installation?.values).toMatchObject({ welcome: "Line one\nLine two", helpdesk: "desk" });
    expect(installation?.domain).toBe(`acme${SUFFIX}`);
    expect([...(installation?.secure ?? [])].sort()).toEqual(["api_key", "helpdesk_key", "password"]);
  });

  test("requires the key again when the account changes", async () => {
    await page.fill("[id=domain]", "other");
    await save();
    await errorOf("api_key").getByText(`Enter the key of other${SUFFIX}`).waitFor();
  });

  test("saves once when the button is pressed twice", async () => {
    const before = (await fixture.host.installation())?.version ?? 0;
    await page.getByRole("button", { name: "Save changes" }).dblclick();
    await notice().getByText(STORED).waitFor();
    expect((await fixture.host.installation())?.version).toBe(before + 1);
  });
});

test("an unreachable host is reported, and the form stays unchanged", async () => {
  await page.fill("[id=bot_name]", "Ada");
  await page.route("**/custom_configs/save", (route) => route.abort());
  await save();
  await notice().getByText("The app host can't be reached. Is it still running?").waitFor();
  expect(await page.inputValue("[id=bot_name]")).toBe("Ada");
  visit.errors.length = 0;
});
