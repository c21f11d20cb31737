import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { MESSENGER_API, type MessengerConversation, type VisitorSession } from "@parley/contract";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../packages/framework/test/front/front-fixture.ts";
import { write } from "../../../packages/messenger/test/support/panel.ts";
import { htmlPage, serveSite } from "../../../packages/messenger/test/support/site.ts";
import { consoleAccount } from "../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** Agents see that the customer of a conversation is online, types and has read. */

let s: ConsoleHarness;
let olivia: AgentBrowser;
let page: Page;
let token: string;
let conversation: MessengerConversation;

const visit = async <T>(method: string, path: string, body: object): Promise<T> => {
  const reply = await fetch(`${s.origin}${MESSENGER_API}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token !== "" && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(text);
  return (text === "" ? {} : JSON.parse(text)) as T;
};
const activity = (body: object) => visit("PUT", `/conversations/${conversation.id}/activity`, body);
/** -> the function that closes the stream */
const openStream = async (): Promise<() => void> => {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${s.origin}${MESSENGER_API}/stream`, { headers, signal: stop.signal });
  expect(reply.status).toBe(200);
  return () => stop.abort();
};

beforeAll(async () => {
  s = await consoleHarness();
  olivia = await s.visit();
  ({ page } = olivia);
  token = "";
  const profile = { first_name: "Tara", last_name: "Typing" };
  ({ token } = await visit<VisitorSession>("POST", "/sessions", { account: "acme", profile }));
  const message = { message_parts: [{ text: { content: "Is this in stock?" } }] };
  ({ conversation } = await visit<{ conversation: MessengerConversation }>("POST", "/conversations", {
    topic_id: s.channelId,
    message,
  }));
});
afterAll(() => s.stop());

const typing = (tab: Page) => tab.getByText("Tara Typing is typing…");
const reply = async (text: string): Promise<string> => {
  await page.getByRole("textbox", { name: "Reply to the customer" }).fill(text);
  await page.keyboard.press("Control+Enter");
  let id = "";
  await eventually(async () => {
    const { messages } = await s.client.messages.listMessages({
      params: { conversation_id: conversation.id },
      query: { items_per_page: 10 },
    });
    id = messages.find(({ message_parts }) => message_parts[0]?.text?.content === text)?.id ?? "";
    expect(id).not.toBe("");
  });
  return id;
};

test("an agent sees that the customer comes, types, stops and goes, also in a second tab", async () => {
  await olivia.open(`/console/conversations/${conversation.id}`);
  await page.getByText("Is this in stock?").first().waitFor();
  expect(await page.getByText("Online", { exact: true }).count()).toBe(0);
  const closeStream = await openStream();
  await page.getByText("Online", { exact: true }).waitFor();
  const tab = await olivia.tab(`/console/conversations/${conversation.id}`);
  await tab.getByText("Online", { exact: true }).waitFor();
  await page.bringToFront();
  await activity({ is_typing: true });
  for (const each of [page, tab]) await typing(each).waitFor();
  expect(await page.getByRole("status").filter({ hasText: "is typing" }).count()).toBe(1);
  expect(await accessibilityViolations(page)).toEqual([]);
  await activity({ is_typing: false });
  await typing(page).waitFor({ state: "detached" });
  await tab.close();
  closeStream();
  await page.getByText("Offline", { exact: true }).waitFor();
});

test("an agent sees the page and the language of the customer if the account allows it, and hostile texts of a page are shown as texts", async () => {
  const account = consoleAccount(s);
  await account.apply({ messenger: { privacy: { is_page_shown: true } } });
  await olivia.open(`/console/conversations/${conversation.id}`);
  await page.getByText("Is this in stock?").first().waitFor();
  const section = page.getByRole("region", { name: "Page and language" });
  await activity({ page: { url: "https://shop.example/lamps?token=secret", title: "Lamps", language: "de-AT" } });
  const link = section.getByRole("link");
  await section.getByText("Austrian German").waitFor();
  expect([await link.textContent(), await link.getAttribute("href")]).toEqual([
    expect.stringContaining("Lamps"),
    "https://shop.example/lamps",
  ]);
  expect([await link.getAttribute("target"), await link.getAttribute("rel")]).toEqual([
    "_blank",
    "noopener noreferrer",
  ]);
  expect(await accessibilityViolations(page)).toEqual([]);

  const hostile = {
    url: `https://evil.example/${"a".repeat(1_900)}`,
    title: "<img src=x onerror=alert(1)>\u202egnp.exe",
  };
  await activity({ page: hostile });
  await section.getByText("<img src=x onerror=alert(1)>gnp.exe").waitFor();
  expect(await section.locator("img").count()).toBe(0);
  expect(await section.innerText()).not.toContain("\u202e");
  expect((await section.boundingBox())?.height).toBeLessThan(300);
  await expect(activity({ page: { url: "javascript:alert(1)" } })).rejects.toThrow();

  await account.apply({ messenger: { privacy: {} } });
  await page.reload();
  await page.getByRole("button", { name: "Other conversations" }).waitFor();
  await activity({ is_typing: true });
  await typing(page).waitFor();
  expect(await section.count()).toBe(0);
});

test("the page and the language are sent, without query and fragment, if the account allows it, and otherwise nothing of them leaves the browser", async () => {
  const script = htmlPage("<h1>Shop</h1>", `<script src="${s.origin}/js/widget.js?account=acme"></script>`);
  const shop = await serveSite({ "/": script, "/lamps/7": script });
  const visitor = await (await s.browser.newContext({ locale: "en-AU" })).newPage();
  const run = <T = unknown>(expression: string) => visitor.evaluate<T>(expression);
  const sent: string[] = [];
  visitor.on("request", (request) => {
    if (request.url().startsWith(s.origin))
      sent.push(`${request.url()} ${request.headers()["referer"]} ${request.postData()}`);
  });
  const reports = () =>
    sent.flatMap((each) => (each.includes('"page"') ? [JSON.parse(each.slice(each.indexOf("{"))) as object] : []));
  const begin = async (path: string) => {
    await visitor.goto(shop.origin + path);
    await run("fcWidget.on('message:sent', () => { window.sentCount = (window.sentCount ?? 0) + 1; })");
    await run("fcWidget.init({ open: true }), undefined");
  };
  const tell = async (text: string, count: number) => {
    await write(visitor.frameLocator("#fc_widget"), text);
    await eventually(async () => expect(await run("window.sentCount")).toBe(count));
    // Its answer comes after everything that the panel has sent because of the message.
    await run("fcWidget.user.get()");
  };
  await begin("/lamps/7?token=secret#secret");
  await tell("Is it bright?", 1);
  expect(sent.filter((each) => /lamps|A site|secret/.test(each))).toEqual([]);

  await consoleAccount(s).apply({ messenger: { privacy: { is_page_shown: true } } });
  await run("fcWidget.user.clear()");
  await begin("/?token=secret#secret");
  await tell("Is it dark?", 1);
  const first = { page: { url: `${shop.origin}/`, title: "A site", language: "en-AU" } };
  await eventually(() => expect(reports()).toEqual([first]));
  // A page that changes its address by itself is seen with the next message, and an unchanged page is not sent again.
  await tell("Hello?", 2);
  await run("history.pushState(null, '', '/cart?token=secret'), void (document.title = 'Cart')");
  await tell("And this?", 3);
  const second = { page: { url: `${shop.origin}/cart`, title: "Cart", language: "en-AU" } };
  await eventually(() => expect(reports()).toEqual([first, second]));
  expect(sent.filter((each) => each.includes("secret"))).toEqual([]);
  await consoleAccount(s).apply({ messenger: { privacy: {} } });
  await visitor.context().close();
  await shop.close();
});

test("an agent sees below a message that the customer has seen it, now and after the page is opened again", async () => {
  const first = await reply("Yes, in blue.");
  await reply("And in green.");
  await activity({ read_message_id: first });
  const row = page.getByRole("article").filter({ hasText: "Yes, in blue." });
  await row.getByText(/^Seen \d\d:\d\d$/).waitFor();
  expect(await page.getByText(/^Seen /).count()).toBe(1);
  await page.reload();
  await row.getByText(/^Seen \d\d:\d\d$/).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  expect(olivia.errors).toEqual([]);
});
