import { afterAll, beforeAll, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { waitUntil } from "../../support/wait-until.ts";
import { fillAccount, type ConsoleContent } from "../support/content.ts";
import { consoleHarness, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";
import { replyField } from "../support/unsaved.ts";

/** Where the reader is in a thread, while its content changes. */

let s: ConsoleHarness;
let content: ConsoleContent;
let agent: AgentBrowser;
let page: Page;
let thread: Locator;

beforeAll(async () => {
  s = await consoleHarness();
  content = await fillAccount(s);
  agent = await s.visit();
  ({ page } = agent);
  thread = page.getByRole("region", { name: "Messages of the conversation" });
});
afterAll(() => s.stop());

/** @units pixels */
const distanceToEnd = (): Promise<number> =>
  thread.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);

/** Expects the end of the thread in the window once the page has painted what changed. */
const expectEnd = async (): Promise<void> => {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  await waitUntil(async () => (await distanceToEnd()) < 1);
};

test("a message that grows by much, such as by its picture, does not move the end of the thread out of the window", async () => {
  await agent.open(`/console/conversations/${content.full.id}`);
  await thread.getByText("54, please.").last().waitFor();
  // At the very end, a browser that limits the correction to the old height does not scroll at all.
  await thread.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expectEnd();
  await thread.evaluate((element) => {
    const rows = element.querySelectorAll<HTMLElement>("[data-index]");
    rows[0]!.style.paddingBottom = "20rem";
  });
  await expectEnd();
});

test("a thread that was loaded after a failure stays at its end in a window that becomes smaller", async () => {
  const isRequestOfMessages = (url: URL): boolean => url.pathname.endsWith("/messages");
  await page.route(isRequestOfMessages, (route) => route.abort());
  await agent.open(`/console/conversations/${content.full.id}`);
  await page.getByText("The messages can’t be shown").waitFor();
  await page.unroute(isRequestOfMessages);
  await page.getByRole("button", { name: "Try again" }).click();
  await thread.getByText("54, please.").last().waitFor();
  await expectEnd();
  await page.setViewportSize({ width: 1_280, height: 500 });
  await expectEnd();
});

test("a thread with a long stored draft is opened at its end, in windows of every width", async () => {
  await agent.open(`/console/conversations/${content.full.id}`);
  await thread.getByText("54, please.").last().waitFor();
  const field = replyField(page);
  await field.fill(Array.from({ length: 14 }, (_, line) => `Line ${line}`).join("\n"));
  // The draft is saved before the page is left.
  for (const width of [390, 700, 1_280]) {
    await page.setViewportSize({ width, height: 720 });
    await expectEnd();
    for (let opened = 0; opened < 3; opened += 1) {
      await page.reload();
      await waitUntil(async () => (await field.inputValue()).endsWith("Line 13"));
      await expectEnd();
    }
  }
});
