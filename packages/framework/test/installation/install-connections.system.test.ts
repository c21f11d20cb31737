import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { fixtureFolder, installFixture, STORED, type PageVisit } from "./install-fixture.ts";
import { startFakeOAuthProvider } from "../support/fake-oauth-provider.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Parts of the page around the parameters: OAuth connections and uninstallation. */
const LOGIN = "https://login.provider.example";

let visit: PageVisit;
let page: Page;

const provider = fileFixture(startFakeOAuthProvider);
const fixture = fileFixture(() =>
  installFixture(fixtureFolder("install-own"), {
    maps: new Map([["*.provider.example", provider.origin]]),
  }),
);
beforeEach(async () => {
  visit = await fixture.visit();
  page = visit.page;
  await page.frameLocator("iframe[data-own]").locator("body[data-part=loaded]").waitFor();
});
afterEach(() => visit.leave());

const install = async () => {
  await page.getByRole("button", { name: /^(Install|Save changes)$/ }).click();
  await page.locator("[data-notice]").getByText(STORED).waitFor();
};
const uninstall = () => page.getByRole("button", { name: "Uninstall…" });

test("the page of an app that isn't installed offers no uninstallation and shows its connections", async () => {
  expect(await uninstall().isVisible()).toBe(false);
  const connections = page.getByRole("region", { name: "Connections" });
  expect(await connections.getByRole("listitem").textContent()).toContain("Calendar Not connected");
  expect(await connections.textContent()).toContain("fail until the account is connected");
});

test("an account is connected in another tab, and the page updates when it gets the focus again", async () => {
  await install();
  // The provider's host name doesn't resolve in the browser: its page is fetched from the fake server.
  await page.context().route(`${LOGIN}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const answer = await fetch(provider.origin + pathname + search, { redirect: "manual" });
    await route.fulfill({ status: answer.status, headers: { location: answer.headers.get("location") ?? "" } });
  });
  const opened = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Connect Calendar, in a new tab" }).click();
  const tab = await opened;
  await tab.getByRole("heading", { name: /Calendar/ }).waitFor();
  await tab.close();
  await page.bringToFront();
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.getByText("Connected", { exact: true }).waitFor();
  expect(await page.getByText("fail until the account is connected").isVisible()).toBe(false);
  await page.getByRole("link", { name: "Connect again Calendar, in a new tab" }).waitFor();
});

test("an app is uninstalled after a confirmation, and the page starts anew", async () => {
  await install();
  await uninstall().click();
  const dialog = page.getByRole("dialog", { name: "Uninstall Install own?" });
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Keep it");
  await page.keyboard.press("Escape");
  expect(await dialog.isVisible()).toBe(false);
  await uninstall().click();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  expect(await fixture.host.installation()).toBeDefined();
  await uninstall().click();
  await dialog.getByRole("button", { name: "Uninstall" }).click();
  await page.getByRole("heading", { name: "The app was uninstalled, with all that it had kept." }).waitFor();
  expect(await fixture.host.installation()).toBeUndefined();
  await page.getByRole("button", { name: "Install", exact: true }).waitFor();
  expect(await uninstall().isVisible()).toBe(false);
  expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe("/custom_configs");
});
