import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../framework/test/support/browser.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { htmlPage } from "../support/site.ts";
import { writerOf } from "../support/account.ts";
import { panelOf, write } from "../support/panel.ts";
import { sitesFixture, type SitesFixture } from "../support/sites-fixture.ts";

/** The wrapper react-freshchat of npm, unmodified, in a site of its own that is built as such sites are. */

/** The token that the site has from the service that it used before. */
const TOKEN = "0c2f6a1e-7d1b-4f0e-9a57-2f7d4f3b8c11";

let s: SitesFixture;
let browser: Browser;
let bundle: string;

beforeAll(async () => {
  [s, browser] = await Promise.all([sitesFixture({ aliases: [TOKEN] }), launchBrowser()]);
  bundle = await (await s.install("react-freshchat"))("site.jsx");
});
afterAll(async () => {
  await browser?.close();
  await s?.close();
});

/** The script of the messenger in the site's page. Each way is one that the wrapper supports. */
const WAYS = [
  [
    "the script of the messenger comes before the site's own",
    (source: string, own: string) => `<script src="${source}"></script>${own}`,
  ],
  [
    "the script has the id by which the wrapper recognises it, and arrives after the site's own",
    (source: string, own: string) => `${own}<script id="freshchat-lib" async src="${source}"></script>`,
  ],
] as const;

/** Opens the site with the options of a customer. */
const openSite = async (page: Page, scripts: (typeof WAYS)[number][1], options: object): Promise<void> => {
  const own = `<script src="/site.js"></script>`;
  const { host } = s;
  const site = await s.serve({
    "/": htmlPage(`<div id="root"></div><script src="/options.js"></script>${scripts(`${host}/js/widget.js`, own)}`),
    "/options.js": ["text/javascript", `window.site = ${JSON.stringify({ token: TOKEN, host, ...options })};`],
    "/site.js": ["text/javascript", bundle],
  });
  await page.goto(site.origin);
};

const userOf = (externalId: string) =>
  waitUntil(async () => {
    const { users } = await s.client.users.listUsers({ query: { reference_id: externalId } });
    return users[0];
  });

describe.each(WAYS)("react-freshchat, when %s,", (title, scripts) => {
  const externalId = `customer-${title.length}`;

  test("opens the messenger by its own button, and a customer writes", async () => {
    const page = await browser.newPage();
    await openSite(page, scripts, {});
    await page.getByRole("button", { name: "Contact us" }).click();
    await write(panelOf(page), `Written by the way in which ${title}`);
    expect((await writerOf(s.client, title)).login_status).toBe(false);
    expect(await page.evaluate("window.onInitCalls")).toBeGreaterThan(0);
    await page.close();
  });

  test("identifies the customer by its properties and sets more in onInit", async () => {
    const page = await browser.newPage();
    await openSite(page, scripts, {
      externalId,
      firstName: "Ada",
      profile: { email: "ada@customer.example", plan: "Gold" },
    });
    await page.getByRole("button", { name: "Contact us" }).click();
    await write(panelOf(page), "I am known by an id.");
    const user = await userOf(externalId);
    await waitUntil(async () => (await userOf(externalId)).email === "ada@customer.example");
    expect(user).toMatchObject({ reference_id: externalId, first_name: "Ada" });
    await page.close();
  });
});
