import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../framework/test/support/browser.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { answer, conversationOf, writerOf } from "../support/account.ts";
import { fieldOf, panelOf, write } from "../support/panel.ts";
import { htmlPage } from "../support/site.ts";
import { sitesFixture, type SitesFixture } from "../support/sites-fixture.ts";

/** The wrappers reactjs-freshchat and ngx-freshchat of npm, unmodified. Both load the script from a host that stands in their code. */

/** The token that the sites have from the service that they used before. */
const TOKEN = "7b0f6a1e-9d1b-4f0e-8a57-2f7d4f3b8c12";
const FORMER_HOST = "https://wchat.freshchat.com";

let s: SitesFixture;
let browser: Browser;
let page: Page;
const bundles: Record<string, string> = {};

beforeAll(async () => {
  [s, browser] = await Promise.all([sitesFixture({ aliases: [TOKEN] }), launchBrowser()]);
  const [react, angular] = await Promise.all([s.install("reactjs-freshchat"), s.install("ngx-freshchat")]);
  // What bundlers call a replacement: the site changes the host name without a change of the package.
  const replace = [FORMER_HOST, s.host] as const;
  bundles["react"] = await react("site.jsx");
  bundles["react with the host replaced"] = await react("site.jsx", { replace });
  bundles["angular"] = await angular("site.ts", { replace });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await s?.close();
});

/** Opens a site. Other hosts than this machine are not asked. */
const openSite = async (bundle: string, body: string, options: object): Promise<void> => {
  const site = await s.serve({
    "/": htmlPage(`${body}<script src="/options.js"></script><script src="/site.js"></script>`),
    "/options.js": ["text/javascript", `window.site = ${JSON.stringify({ token: TOKEN, host: s.host, ...options })};`],
    "/site.js": ["text/javascript", bundles[bundle] ?? ""],
  });
  page = await browser.newPage();
  await page.route(
    (url) => !/^(?:localhost|127\.0\.0\.1)$/.test(url.hostname),
    (route) => route.abort(),
  );
  await page.goto(site.origin);
};

/** A customer writes and gets an answer. */
const talk = async (text: string): Promise<void> => {
  await write(panelOf(page), text);
  const { id } = await conversationOf(s.client, text);
  await answer(s.client, id, `Answer to: ${text}`);
  await panelOf(page).getByText(`Answer to: ${text}`, { exact: true }).waitFor();
};

describe.each([
  ["react", "the script of the messenger comes before the site's own", true],
  ["react with the host replaced", "the build replaces the former host", false],
])("reactjs-freshchat (%s), when %s,", (bundle, _, hasScript) => {
  const root = () => `<div id="root"></div>${hasScript ? `<script src="${s.host}/js/widget.js"></script>` : ""}`;

  test("shows the messenger, and a customer writes and is answered", async () => {
    await openSite(bundle, root(), {});
    await page.locator("#fc_frame button").click();
    await talk(`Written by ${bundle}`);
    await page.getByRole("button", { name: "Visits: 0" }).click();
    await page.getByRole("button", { name: "Visits: 1" }).waitFor();
    expect(await page.evaluate("[document.querySelectorAll('#fc_frame').length, fcWidget.isOpen()]")).toEqual([
      1,
      true,
    ]);
    await page.close();
  });

  test("opens the messenger by its own button, which is shown again after the messenger is closed", async () => {
    await openSite(bundle, root(), { label: "Talk to us", externalId: `by-${bundle}`, firstName: "Ada" });
    await page.waitForFunction("window.fcWidget?.isInitialized()");
    await page.getByText("Talk to us").click();
    await talk(`Written by the button of ${bundle}`);
    expect(await writerOf(s.client, `Written by the button of ${bundle}`)).toMatchObject({
      first_name: "Ada",
      reference_id: `by-${bundle}`,
    });
    expect(await page.getByText("Talk to us").isVisible()).toBe(false);
    await panelOf(page).getByRole("button", { name: "Close chat" }).click();
    await page.getByText("Talk to us").waitFor();
    expect(await page.locator("#fc_frame button").isVisible()).toBe(false);
    await page.close();
  });
});

describe("ngx-freshchat, when the build replaces the former host,", () => {
  test("loads the messenger, reports the created user, identifies the customer and signs out", async () => {
    await openSite("angular", "<site-root></site-root>", { profile: { email: "ada@customer.example", plan: "Gold" } });
    await page.getByText("State: loaded, true").waitFor();
    await page.getByRole("button", { name: "Contact us" }).click();
    const field = fieldOf(panelOf(page));
    await waitUntil(async () => (await field.inputValue()) === "From the button");
    await talk("Written by Angular");
    await page.getByText(/Restore id: \S+/).waitFor();
    await page.getByRole("button", { name: "Identify me" }).click();
    await page.getByText("State: known as ada@customer.example").waitFor();
    await waitUntil(async () => (await writerOf(s.client, "Written by Angular")).email === "ada@customer.example");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("State: signed out").waitFor();
    expect(await page.locator("#fc_frame").count()).toBe(0);
    await page.close();
  });
});
