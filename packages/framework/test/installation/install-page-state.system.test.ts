import { rm } from "node:fs/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { campaignDescribe, campaignTest } from "../../../../test/support/campaign.ts";
import type { Locator, Page } from "playwright-core";
import { DEFAULT, IPARAMS, PEM, stateApp } from "./install-state-app.ts";
import { formOn, installFixture, STORED } from "./install-fixture.ts";
import type { InstallForm, InstallFixture, PageVisit } from "./install-fixture.ts";

/** The state of values that the page tracks and shows: changed, stored, secure, long. */
let folder: string;
let fixture: InstallFixture;
let visit: PageVisit;
let page: Page;
let form: InstallForm;

beforeAll(async () => {
  folder = await stateApp();
  fixture = await installFixture(folder);
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  visit = await fixture.visit();
  page = visit.page;
  page.setDefaultTimeout(8_000);
  form = formOn(page);
});
afterEach(() => visit.leave());

const saved = () => form.notice().getByText(STORED).waitFor();
const noticeText = () => form.notice().locator("[data-part=text]").textContent();
const unsaved = () => page.locator("[data-part=unsaved]").textContent();
const secureKeys = async () => [...((await fixture.host.installation())?.secure ?? [])].sort();
const isInView = (selector: string) =>
  page.locator(selector).evaluate((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  });

describe("a first installation", () => {
  test("uses a secure default that the page never receives, reports the save, and links to the app", async () => {
    const source = await (await fetch(`${fixture.host.url}/custom_configs`)).text();
    expect(source).not.toContain(DEFAULT);
    expect(await page.content()).not.toContain(DEFAULT);
    expect(await form.field("preset").getByText("Set to the app’s default").isVisible()).toBe(true);
    expect([await page.title(), await unsaved()]).toEqual([expect.stringMatching(/ – installation$/), ""]);
    await page.fill("[id=name]", "Ada");
    expect(await unsaved()).toBe("Unsaved changes");
    await form.save();
    await saved();
    expect([await noticeText(), await page.title(), await unsaved()]).toEqual([
      "Saved: Name.",
      expect.stringMatching(/ – settings$/),
      "",
    ]);
    expect(await form.notice().getByRole("link", { name: "Open the app" }).getAttribute("href")).toBe("/");
    expect(await secureKeys()).toEqual(["preset"]);
    expect(await form.field("preset").getByText("Stored", { exact: true }).isVisible()).toBe(true);
  });
});

describe("secure values", () => {
  test("are stored, replaced, kept and removed, and a stored checkbox is checked", async () => {
    await page.fill("[id=pem]", PEM);
    await page.check("[id=flag]");
    const kind = form.field("kind");
    await kind.getByRole("radio", { name: "two" }).check();
    await kind.getByRole("radio", { name: "None" }).check();
    await form.save();
    await saved();
    expect(await secureKeys()).toEqual(["flag", "pem", "preset"]);
    await kind.getByRole("radio", { name: "two" }).check();
    await form.save();
    await saved();
    expect(await secureKeys()).toEqual(["flag", "kind", "pem", "preset"]);
    await page.reload();
    expect(await page.isChecked("[id=flag]")).toBe(true);
    expect(await page.getByRole("radio", { name: "two" }).isVisible()).toBe(false);
    expect(await page.isVisible("[id=pem]")).toBe(false);
    expect(await unsaved()).toBe("");

    await page.getByRole("button", { name: "Replace Private key" }).click();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("pem");
    await page.keyboard.type("another");
    await page.getByRole("button", { name: "Undo for Private key" }).click();
    expect([await page.isVisible("[id=pem]"), await page.inputValue("[id=pem]"), await unsaved()]).toEqual([
      false,
      "",
      "",
    ]);

    await page.getByRole("button", { name: "Remove Private key" }).click();
    await page.getByRole("button", { name: "Remove Kind" }).click();
    await page.uncheck("[id=flag]");
    expect(await form.field("pem").getByText("Removed when you save").isVisible()).toBe(true);
    expect(await unsaved()).toBe("Unsaved changes");
    await form.save();
    await saved();
    expect(await noticeText()).toBe("Saved: Private key, Flag, Kind.");
    expect(await secureKeys()).toEqual(["preset"]);
    expect(await page.isVisible("[id=pem]")).toBe(true);
  });
});

describe("unsaved changes", () => {
  campaignTest("that are typed during a save remain and are named", async () => {
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/custom_configs/save", async (route) => {
      await held;
      await route.continue();
    });
    await page.fill("[id=notes]", "before");
    await form.secret("pem", "before");
    // What is typed before the request belongs to this save.
    await Promise.all([page.waitForRequest("**/custom_configs/save"), form.save()]);
    await page.getByRole("button", { name: "Saving…" }).waitFor();
    await page.fill("[id=notes]", "after");
    await page.fill("[id=pem]", "after");
    release();
    await saved();
    expect(await noticeText()).toBe(
      "Saved: Private key, Notes. Changed meanwhile, and not saved yet: Private key, Notes. Save again to keep it.",
    );
    expect([await page.inputValue("[id=notes]"), await page.inputValue("[id=pem]")]).toEqual(["after", "after"]);
    expect(await unsaved()).toBe("Unsaved changes");
    expect((await fixture.host.installation())?.values["notes"]).toBe("before");
    await form.save();
    await form.notice().getByText("Saved: Private key, Notes.", { exact: true }).waitFor();
    expect((await fixture.host.installation())?.values["notes"]).toBe("after");
  });

  test("cause a confirmation before the page is left; without changes there is no confirmation", async () => {
    const requests: string[] = [];
    page.on("dialog", (dialog) => {
      requests.push(dialog.type());
      void dialog.accept();
    });
    await page.click("[id=name]");
    await page.reload();
    expect(requests).toEqual([]);
    await page.fill("[id=name]", "Grace");
    await page.reload();
    expect(requests).toEqual(["beforeunload"]);
  });
});

describe("a host", () => {
  test("that is unreachable causes no field error; after its restart it accepts the earlier entries", async () => {
    const { host } = fixture;
    await host.close();
    await page.fill("[id=name]", "Grace");
    await page.keyboard.press("Tab");
    await page.getByRole("alert").getByText("The app host can’t be reached").waitFor();
    expect(await form.errorOf("name").textContent()).toBe("");
    await form.save();
    await form.notice().getByRole("heading", { name: "The parameters couldn’t be saved." }).waitFor();
    expect(await noticeText()).toBe("The app host can't be reached. Is it still running?");
    await fixture.restart();
    await form.save();
    await saved();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect((await fixture.host.installation())?.values["name"]).toBe("Grace");
  });

  test("rejects attributes that no callback can have set", async () => {
    const { token } = (await (await fetch(`${fixture.host.url}/custom_configs/token`)).json()) as { token: string };
    const answer = await fetch(`${fixture.host.url}/custom_configs/save`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-page-token": token },
      body: JSON.stringify({ values: { name: "Eve" }, attributes: { name: { required: false } } }),
    });
    expect(await answer.json()).toMatchObject({
      ok: false,
      message: expect.stringContaining("This app has no callbacks"),
    });
    expect((await fixture.host.installation())?.values["name"]).toBe("Grace");
  });
});

campaignDescribe("the form", () => {
  test("has its sections and a list of the visible ones", async () => {
    expect(await page.locator(".group").getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "Secrets",
      "Lists",
      "טקסטים",
    ]);
    expect(await page.getByRole("navigation", { name: "Sections" }).getByRole("link").allTextContents()).toEqual([
      "Secrets",
      "Lists",
      "טקסטים",
    ]);
    await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Lists" }).click();
    expect(await isInView("h2:text('Lists')")).toBe(true);
  });

  test("with 5,000 options stays short, has few tab stops, and is searchable and usable by keyboard", async () => {
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(4_000);
    const tabStops = page.locator(":is(a[href], button, input, select, textarea, [tabindex='0']):visible");
    expect(await tabStops.count()).toBeLessThan(40);
    const topics = form.field("topics");
    await topics.getByRole("searchbox", { name: "Search 5000 options" }).fill("topic 499");
    expect(await topics.getByRole("status").textContent()).toBe("11 found. 0 of 5,000 chosen.");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await topics.getByRole("status").textContent()).toBe("11 found. 2 of 5,000 chosen.");
    const list = topics.getByRole("listbox", { name: "Topics" });
    const active = () =>
      list.evaluate((node) => document.getElementById(node.getAttribute("aria-activedescendant") ?? "")?.textContent);
    expect(await active()).toBe("Topic 4990");
    await page.keyboard.press("End");
    expect(await active()).toBe("Topic 4999");
    const main = form.field("topic").getByRole("listbox", { name: "Main topic" });
    expect(await main.getByRole("option", { selected: true }).allTextContents()).toEqual(["Topic 7"]);
    await main.focus();
    await page.keyboard.type("Topic 12");
    // A space that follows later than the typed word chooses the option.
    await main.evaluate((node) => {
      const event = new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true });
      Object.defineProperty(event, "timeStamp", { value: event.timeStamp + 600 });
      node.dispatchEvent(event);
    });
    expect(await main.getByRole("option", { selected: true }).allTextContents()).toEqual(["Topic 12"]);
    await main.getByRole("option", { name: "Topic 12", exact: true }).click();
    expect(await main.getByRole("option", { selected: true }).count()).toBe(0);
    await main.getByRole("option", { name: "Topic 432", exact: true }).click();
    await form.save();
    await saved();
    expect((await fixture.host.installation())?.values).toMatchObject({
      topics: ["Topic 499", "Topic 4990"],
      topic: "Topic 432",
    });
    await page.reload();
    expect(await main.evaluate((node) => node.scrollTop)).toBeGreaterThan(10_000);
  });

  test("offers no selection for optional radio buttons", async () => {
    const tone = form.field("tone");
    expect(await tone.getByRole("radio", { name: "None" }).isChecked()).toBe(true);
    await tone.getByRole("radio", { name: "Formal" }).check();
    await form.save();
    await saved();
    expect((await fixture.host.installation())?.values["tone"]).toBe("Formal");
    await tone.getByRole("radio", { name: "None" }).check();
    await form.save();
    await saved();
    expect((await fixture.host.installation())?.values["tone"]).toBe("");
  });

  test("links URLs in a description and nothing else, and collapses a long one", async () => {
    const links = form.hintOf("name").getByRole("link");
    expect(await links.evaluateAll((all) => all.map((link) => link.outerHTML))).toEqual([
      '<a href="https://example.com/help?a=1" target="_blank" rel="noopener noreferrer">https://example.com/help?a=1</a>',
    ]);
    expect(await form.hintOf("name").textContent()).toBe(IPARAMS["name"]?.description);
    const height = async () => (await form.hintOf("notes").boundingBox())?.height ?? 0;
    const before = await height();
    await page.getByRole("button", { name: "Show more about Notes" }).click();
    expect(await height()).toBeGreaterThan(before);
    await page.getByRole("button", { name: "Show less about Notes" }).click();
    expect(await height()).toBe(before);
  });

  test("follows the text direction of its content", async () => {
    const directionOf = (part: Locator) => part.evaluate((node) => getComputedStyle(node).direction);
    const direction = (selector: string) => directionOf(page.locator(selector));
    expect(await direction("[data-field]:has([id=greeting])")).toBe("rtl");
    expect(await direction("[id=greeting]")).toBe("rtl");
    expect(await direction("[data-field]:has([id=name])")).toBe("ltr");
    await page.fill("[id=name]", "שלום");
    expect(await direction("[id=name]")).toBe("rtl");
    // The mark of a label follows the whole label, which ends with a word of the other text direction.
    const box = async (part: string) => form.field("greeting").locator(`[data-part=${part}]`).boundingBox();
    const [label, need] = [await box("label"), await box("required")];
    expect((need?.x ?? 0) + (need?.width ?? 0)).toBeLessThanOrEqual(label?.x ?? 0);
    await page.fill("[id=greeting]", "");
    await form.save();
    const item = form.notice().getByRole("listitem").last();
    expect(await item.textContent()).toBe("הודעת פתיחה API: This field is required!");
    const parts = [item, ...(await item.locator("bdi").all())];
    expect(await Promise.all(parts.map(directionOf))).toEqual(["ltr", "rtl", "ltr"]);
  });

  test("shows the result of an uninstallation in view", async () => {
    const button = page.getByRole("button", { name: "Uninstall…" });
    await button.scrollIntoViewIfNeeded();
    await button.click();
    expect(await isInView("dialog")).toBe(true);
    await page.getByRole("dialog").getByRole("button", { name: "Uninstall" }).click();
    await page.getByRole("heading", { name: "The app was uninstalled" }).waitFor();
    await waitUntil(() => isInView("[data-notice]"));
  });
});
