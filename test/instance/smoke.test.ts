import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../packages/framework/test/support/browser.ts";
import { writerOf } from "../../packages/messenger/test/support/account.ts";
import { openPanel, write } from "../../packages/messenger/test/support/panel.ts";
import { familyOf, startParley, survivors, temporaryFolder, type RunningParley } from "../support/parley-process.ts";

/** The real start with its defaults, and every page in a browser. What the pages do is tested by `npm run test:system`. */

const SHOWN_WITHIN_MS = 60_000;
/** What the console shows in place of a page whose script failed. */
const FAILED_PAGE = "This page can't be shown";

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley;
let browser: Browser;
let page: Page;
const errors: string[] = [];
beforeAll(async () => {
  data = await temporaryFolder();
  [running, browser] = await Promise.all([startParley(data.folder), launchBrowser()]);
  page = await browser.newPage({ reducedMotion: "reduce", locale: "en-GB", viewport: { width: 1_440, height: 900 } });
  page.setDefaultTimeout(SHOWN_WITHIN_MS);
  page.on("pageerror", ({ message }) => void errors.push(`${page.url()}: ${message}`));
});
afterAll(async () => {
  await browser?.close();
  await running?.stop();
  await data.remove();
});

/** Opens an address and waits until its main heading is shown. -> its text */
const headingOf = async (address: string): Promise<string> => {
  await page.goto(address);
  const heading = page.getByRole("heading", { level: 1 }).filter({ visible: true }).first();
  await heading.or(page.getByText(FAILED_PAGE)).first().waitFor();
  expect(await page.getByText(FAILED_PAGE).count()).toBe(0);
  return heading.innerText();
};

/** -> addresses of the links of a navigation */
const linksOf = async (navigation: string): Promise<string[]> => {
  const links = page.getByRole("navigation", { name: navigation }).getByRole("link");
  await links.first().waitFor();
  const found = await links.evaluateAll((all) =>
    all.map((link) => (link as HTMLAnchorElement).href.split("?")[0] ?? ""),
  );
  return [...new Set(found)];
};

test("the link that npm start prints signs in, and leads to the console", async () => {
  await page.goto(running.signIn);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/console/**");
  await page.getByRole("navigation", { name: "Console", exact: true }).waitFor();
});

test("an agent's reply reaches the customer, by the key that npm start prints", async () => {
  const client = parleyClient({ url: running.service, token: running.token });
  const { channels } = await client.channels.listChannels({ query: {} });
  const user = await client.users.createUser({ body: { first_name: "Sam" } });
  const { conversation_id } = await client.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: "Hello" } }] }],
    },
  });
  await page.goto(new URL(`/console/conversations/${conversation_id}`, running.service).href);
  const reply = page.getByRole("textbox", { name: /^Reply/ });
  await reply.fill("An agent answers.");
  await reply.press("Enter");
  const sent = async () => {
    const { messages } = await client.messages.listMessages({ params: { conversation_id }, query: {} });
    return messages.some((one) => one.message_parts.some(({ text }) => text?.content === "An agent answers."));
  };
  await page.getByRole("region", { name: "Messages of the conversation" }).getByText("An agent answers.").waitFor();
  while (!(await sent()));
});

test("a visitor of the demo shop opens the messenger and writes", async () => {
  const visitor = await browser.newPage({ reducedMotion: "reduce", locale: "en-GB" });
  visitor.setDefaultTimeout(SHOWN_WITHIN_MS);
  visitor.on("pageerror", ({ message }) => void errors.push(`${visitor.url()}: ${message}`));
  await visitor.goto(running.messenger);
  await write(await openPanel(visitor), "Which jacket is warmer?");
  const client = parleyClient({ url: running.service, token: running.token });
  expect((await writerOf(client, "Which jacket is warmer?")).first_name).toBe("Visitor");
  await visitor.close();
});

test("every page of the console and of the administration opens", async () => {
  await page.goto(running.console);
  const pages = await linksOf("Console");
  await page.goto(new URL("/console/admin", running.service).href);
  const administration = await linksOf("Pages of the administration");
  expect(administration.length).toBeGreaterThan(14);
  for (const address of [...pages, ...administration]) expect(await headingOf(address)).not.toBe("");
});

test("the installation page and the API reference open", async () => {
  await page.goto(running.installPage);
  await page.getByLabel("Support", { exact: true }).waitFor();
  await page.goto(new URL("/docs", running.service).href);
  await page.getByText("/conversations/{conversation_id}/messages").first().waitFor();
});

test("no page reported an error", () => {
  expect(errors).toEqual([]);
});

test("npm start ends at SIGTERM with status 0, and leaves no process", async () => {
  const family = await familyOf(running.pid);
  expect(family.length).toBeGreaterThan(3);
  expect(await running.signal("SIGTERM")).toBe(0);
  expect(await survivors(family, 8_000)).toEqual([]);
});
