import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { installFixtureOf, type InstallFixture, type PageVisit } from "./install-fixture.ts";

const FILES = {
  "package.json": { name: "configured" },
  "manifest.json": { "platform-version": "3.0", modules: { common: {}, chat_conversation: {} } },
  "config/iparams.json": {},
  "config/app_settings.json": {
    vendor_key: { display_name: "Vendor key" },
    region: { secure: false, display_name: "Region", description: "Where the vendor keeps the data." },
  },
  "server/server.js": `exports = {
    onSettingsUpdate: ({ region }) => renderData(region === "moon" ? { message: "No data is kept there." } : undefined),
  };`,
};

let fixture: InstallFixture;
let visit: PageVisit;
let page: Page;
beforeAll(async () => (fixture = await installFixtureOf(FILES)));
afterAll(() => fixture.close());
beforeEach(async () => {
  visit = await fixture.visit();
  page = visit.page;
});
afterEach(async () => {
  expect(visit.errors).toEqual([]);
  await visit.leave();
});

const key = () => page.getByLabel("Vendor key", { exact: true });
const region = () => page.getByLabel("Region", { exact: true });
const save = () => page.getByRole("button", { name: "Save app settings" }).click();

test("app settings are saved separately from the installation, and a secure one is never shown again", async () => {
  await key().fill("canary-vendor");
  await region().fill("eu");
  await save();
  await page.getByText("The app settings are saved.").waitFor();
  expect(await key().inputValue()).toBe("");
  await page.reload();
  expect(await page.content()).not.toContain("canary-vendor");
  expect([await key().inputValue(), await region().inputValue()]).toEqual(["", "eu"]);
  await page.getByText("Stored. Enter a new value to replace it.").waitFor();
  expect(await page.getByRole("button", { name: "Install" }).isVisible()).toBe(true);
});

test("an app's rejection of settings is shown beside the button; the entries remain and are not stored", async () => {
  await region().fill("moon");
  await save();
  await page.getByText("No data is kept there.").waitFor();
  expect(await region().inputValue()).toBe("moon");
  await page.reload();
  expect(await region().inputValue()).toBe("eu");
});

test("a stored secure app setting can be removed", async () => {
  await page.getByRole("checkbox", { name: "Remove the stored value of Vendor key" }).check();
  await save();
  await page.getByText("Not set. Kept encrypted and never shown again.").waitFor();
  await save();
  await page.getByText("Nothing was changed.").waitFor();
});

test("a request for app settings without the page's token or from another site is rejected", async () => {
  const request = (headers: Record<string, string>) =>
    fetch(`${fixture.host.url}/custom_configs/app-settings`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ values: { region: "us" } }),
    });
  expect((await request({})).status).toBe(403);
  expect((await request({ origin: "https://evil.example" })).status).toBe(403);
});

test("the app settings block is accessible", async () => {
  const { violations } = await page.evaluate<axe.AxeResults>(
    `(() => { ${axe.source}; return axe.run(document, { iframes: false }); })()`,
  );
  expect(violations).toEqual([]);
});
