import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { accessibilityViolations } from "../../packages/framework/test/front/front-fixture.ts";
import { launchBrowser } from "../../packages/framework/test/support/browser.ts";
import { parley, startParley, temporaryFolder, type RunningParley } from "../support/parley-process.ts";

/** The host page with Concierge, beside a live conversation of the real service. */

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  data = await temporaryFolder();
  [running, browser] = await Promise.all([startParley(data.folder), launchBrowser()]);
  page = await (await browser.newContext({ bypassCSP: true })).newPage();
  page.setDefaultTimeout(30_000);
});
afterAll(async () => {
  await browser.close();
  await running.stop();
  await data.remove();
});

const write = (text: string) => parley(["chat", "--once", text], { env: { PARLEY_DATA: data.folder } });
const log = (text: string) => page.locator("[data-messages]").getByText(text);

test("the host page shows a customer's conversation with Concierge's answer and the app beside it", async () => {
  await write("Do you have tea?");
  await page.goto(running.app);
  await log("Do you have tea?").waitFor();
  await page
    .locator("[data-messages] .bot", { hasText: "What can we do for you today?" })
    .locator(".by", { hasText: "Concierge" })
    .waitFor();
  const place = page.frameLocator("iframe[title*='Conversation user info']");
  await place.getByRole("heading", { name: "What Concierge did here" }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(await page.content()).not.toContain(running.token);
});

test("the host page lets the agent answer the customer and take the conversation", async () => {
  await page.fill("#editor", "Green and black");
  await page.getByRole("button", { name: "Send" }).click();
  await log("Green and black").waitFor();
  const agent = await page.locator("[data-agent]").inputValue();
  await page.locator("[data-assign]").selectOption(agent);
  await page.locator("[data-part=status]").getByText("assigned").waitFor();
});

test("the host page adds the next customer's conversation to the list without a reload", async () => {
  await write("And coffee?");
  await expect(page.locator("[data-list] li").count()).resolves.toBeGreaterThan(0);
  await page.waitForFunction("document.querySelectorAll('[data-list] li').length >= 2");
});
