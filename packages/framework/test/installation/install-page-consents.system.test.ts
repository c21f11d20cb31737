import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { installFixtureOf, type InstallFixture, type PageVisit } from "./install-fixture.ts";

const FILES = {
  "package.json": { name: "caller" },
  "manifest.json": {
    "platform-version": "3.0",
    modules: { common: { functions: { call: {} } }, chat_conversation: {} },
    "whitelisted-domains": ["https://api.example"],
  },
  "config/iparams.json": { token: { display_name: "Service token", type: "text", secure: true } },
  "server/server.js": `exports = { call: ({ iparams }) => fetch("https://api.example/", { headers: { token: iparams.token } }) };`,
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

const block = () => page.locator("[data-consents]");
const secure = () => page.getByRole("checkbox", { name: /read the secure parameters: Service token/ });
const host = () => page.getByRole("checkbox", { name: /api\.example/ });
const both = () => page.locator("[data-part=both]");

test("consents that the app's code needs are offered unchecked, each checkbox acts immediately, and both together have a summary", async () => {
  expect(await block().getAttribute("open")).not.toBeNull();
  expect(await block().textContent()).toContain("The code seems to read: Service token.");
  expect([await secure().isChecked(), await host().isChecked()]).toEqual([false, false]);
  await secure().check();
  await page.locator("[data-secure]:enabled").waitFor();
  expect(await both().isVisible()).toBe(false);
  await host().check();
  await page.getByText(/api\.example allowed since/).waitFor();
  expect(await both().textContent()).toBe("The app’s code can now send the secure parameters to api.example.");
  await page.reload();
  await block().locator("summary").click();
  expect([await secure().isChecked(), await host().isChecked()].toString()).toBe("true,true");
});

test("clearing a checkbox revokes the consent, and the block collapses when all is decided", async () => {
  expect(await block().getAttribute("open")).toBeNull();
  await block().locator("summary").click();
  await host().uncheck();
  await page.getByText(/api\.example not allowed since/).waitFor();
  expect(await both().isVisible()).toBe(false);
});

test("a consent request without the page's token or from another site is rejected", async () => {
  const request = (headers: Record<string, string>) =>
    fetch(`${fixture.host.url}/custom_configs/consents`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ subject: "api.example", isGiven: true }),
    });
  expect((await request({})).status).toBe(403);
  expect((await request({ origin: "https://evil.example" })).status).toBe(403);
});

test("the consents block is accessible", async () => {
  const { violations } = await page.evaluate<axe.AxeResults>(
    `(() => { ${axe.source}; return axe.run(document, { iframes: false }); })()`,
  );
  expect(violations).toEqual([]);
});
