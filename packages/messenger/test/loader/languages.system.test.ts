import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { sharedBrowser, sharedInstance } from "../../../../test/support/shared-instance.ts";
import { panelOf } from "../support/panel.ts";
import { htmlPage, serveSite, type Site } from "../support/site.ts";

/** The languages of the real panel, its button and the service. */

let site: Site;
let page: Page;
beforeAll(async () => {
  const [{ origin }, browser] = await Promise.all([sharedInstance("started"), sharedBrowser()]);
  site = await serveSite({ "/": htmlPage("", `<script src="${origin}/js/widget.js?account=acme"></script>`) });
  page = await (await browser.newContext()).newPage();
  await page.goto(site.origin);
});
afterAll(async () => {
  await page?.context().close();
  await site?.close();
});

const run = (expression: string) => page.evaluate(expression);

test("the site's locale decides the language of the panel and its button, also later; a language that can't be loaded is English", async () => {
  const isShown = (text: string) => panelOf(page).getByRole("heading", { name: text }).waitFor();
  const language = () =>
    panelOf(page)
      .locator("html")
      .evaluate(({ lang, dir }: HTMLElement) => [lang, dir]);
  await run("fcWidget.init({ locale: 'de_AT', open: true }), undefined");
  await isShown("Wie können wir Ihnen helfen?");
  expect(await language()).toEqual(["de-AT", "ltr"]);
  await run("fcWidget.user.setLocale('AR')");
  await isShown("كيف يمكننا مساعدتك؟");
  expect(await language()).toEqual(["ar", "rtl"]);
  await run("fcWidget.close()");
  await page.getByRole("button", { name: "محادثة" }).waitFor();
  await page.route("**/assets/french-*.js", (route) => route.abort());
  await run("fcWidget.user.setLocale('fr')");
  await run("fcWidget.open()");
  await isShown("How can we help?");
  expect(await language()).toEqual(["en", "ltr"]);
});
