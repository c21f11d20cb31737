import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { BrowserContext } from "playwright-core";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { begin, keptItems, modelFixture, type ModelFixture, type PanelTab } from "./model-fixture.ts";
import type { PanelOfPage } from "./model-page.ts";

declare const panel: PanelOfPage;

/** The panel's data in Chromium, with the script in a site's page and a started service. */

let s: ModelFixture;
let agentId = "";
let browser: BrowserContext;
beforeAll(async () => {
  s = await modelFixture();
  const { agents } = await s.client.agents.listAgents();
  agentId = agents[0]?.id ?? "";
});
afterAll(() => s?.close());
beforeEach(async () => {
  browser = await s.newBrowser();
});
afterEach(() => browser.close());

const answer = (conversation_id: string, content: string) =>
  s.client.messages.createMessage({
    params: { conversation_id },
    body: { actor_type: "agent", actor_id: agentId, message_type: "normal", message_parts: [{ text: { content } }] },
  });

test("nothing is stored and no user exists before the first message, which creates the user; answers arrive and are read", async () => {
  const tab = await s.openTab(browser);
  expect(await keptItems(tab)).toEqual([]);
  expect(tab.requests.filter((each) => !each.endsWith("/configuration"))).toEqual([]);
  const id = await begin(tab, "Where is my order?");
  expect((await tab.snapshot()).visitor?.is_name_generated).toBe(true);
  await tab.frame.evaluate(() => panel.actions.showHome());
  await answer(id, "It is on its way.");
  const { unreadCount, conversations } = await tab.until(
    ({ conversations: [first] }) => first?.last_message?.message_parts[0]?.text?.content === "It is on its way.",
  );
  expect([unreadCount > 0, conversations[0]?.unread_count]).toEqual([true, unreadCount]);
  await tab.frame.evaluate((key) => panel.actions.openConversation(key), id);
  await tab.until(({ texts }) => texts.includes("It is on its way."));
  const reported = tab.frame.page().waitForResponse((reply) => reply.url().endsWith("/activity"));
  await tab.frame.evaluate((key) => {
    const last = panel.snapshot().conversations[0]?.last_message;
    panel.actions.read(key, last?.id ?? "");
  }, id);
  expect((await tab.snapshot()).unreadCount).toBe(0);
  // Reads are reported together, a moment later.
  expect((await reported).ok()).toBe(true);
  const again = await s.openTab(browser);
  expect((await again.until(({ conversations: all }) => all.length === 1)).unreadCount).toBe(0);
});

test("properties that the site sets, before the panel is loaded and after it, are those of the conversation that begins", async () => {
  const tab = await s.openTab(browser);
  await tab.site(
    "fcWidget.conversation.setConversationProperties({ cf_order_number: 'A-17', cf_items: 1, cf_unknown: 2 })",
  );
  await tab.site("fcWidget.conversation.setConversationProperties({ cf_items: 12 })");
  const conversation_id = await begin(tab, "With properties");
  const { properties } = await s.client.conversations.getConversation({ params: { conversation_id } });
  expect(properties).toMatchObject({ cf_order_number: "A-17", cf_items: "12" });
  expect(properties).not.toHaveProperty("cf_unknown");
});

test("tabs share one stream; another tab continues it without a gap when the first one is closed", async () => {
  const first = await s.openTab(browser);
  const id = await begin(first, "Two tabs");
  await first.until(({ connection }) => connection === "connected");
  const second = await s.openTab(browser);
  await second.frame.evaluate((key) => panel.actions.openConversation(key), id);
  await second.until(({ connection, texts }) => connection === "connected" && texts.includes("Two tabs"));
  await answer(id, "to both");
  await Promise.all([first, second].map((tab) => tab.until(({ texts }) => texts.includes("to both"))));
  const streams = (tab: PanelTab) => tab.requests.filter((each) => each.endsWith("/stream")).length;
  expect([streams(first), streams(second)]).toEqual([1, 0]);
  await first.page.close();
  await answer(id, "to the second");
  await second.until(({ texts }) => texts.includes("to the second"));
  expect(streams(second)).toBe(1);
  const { texts } = await second.snapshot();
  expect(new Set(texts).size).toBe(texts.length);
});

test("messages that are written without a connection wait, and are sent once and in order when it is back", async () => {
  const tab = await s.openTab(browser);
  await begin(tab, "first");
  await browser.setOffline(true);
  await tab.write("one", "two", "three");
  await tab.until(({ outgoing }) => outgoing.length === 3 && outgoing.every(({ state }) => state === "waiting"));
  await browser.setOffline(false);
  const { own } = await tab.until(({ outgoing, own: sent }) => outgoing.length === 0 && sent.length === 4);
  expect(own).toEqual(["first", "one", "two", "three"]);
});

test("messages whose replies were lost are sent once after a reload", async () => {
  const tab = await s.openTab(browser);
  const id = await begin(tab, "first");
  await browser.route("**/conversations/*/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    return route.abort();
  });
  await tab.write("kept", "after it");
  await tab.until(({ outgoing }) => outgoing.length === 2);
  await tab.page.close();
  await browser.unroute("**/conversations/*/messages");
  const next = await s.openTab(browser);
  await next.frame.evaluate((key) => panel.actions.openConversation(key), id);
  const { own } = await next.until(({ own: sent, outgoing }) => sent.length >= 3 && outgoing.length === 0);
  expect(own).toEqual(["first", "kept", "after it"]);
});

test("files and texts arrive in the order in which they were sent", async () => {
  const tab = await s.openTab(browser);
  await begin(tab, "first");
  await tab.frame.evaluate(() => {
    const key = panel.key();
    panel.actions.attach(key, [new File(["a".repeat(200_000)], "notes.txt", { type: "text/plain" })]);
    panel.actions.send(key, { text: "with a file" });
    panel.actions.attach(key, [new File(["no picture"], "fake.png", { type: "image/png" })]);
    panel.actions.attach(key, [new File([], "empty.txt")]);
  });
  const { own, outgoing } = await tab.until(({ own: sent }) => sent.length === 4);
  expect(own).toEqual(["first", "file", "with a file", "file"]);
  expect(outgoing.map(({ state, failure }) => [state, failure])).toEqual([["failed", "fileEmpty"]]);
});

test("user.clear ends the session and leaves nothing of the person in any tab or storage, nor in a page that returns", async () => {
  const tab = await s.openTab(browser);
  await begin(tab, "private");
  await tab.frame.evaluate(() => panel.actions.setDraft(panel.key(), "a draft"));
  const other = await s.openTab(browser);
  await other.until(({ conversations }) => conversations.length === 1);
  const returning = await s.openTab(browser);
  await begin(returning, "more");
  const token = await tab.frame.evaluate(() => {
    const key = Object.keys(localStorage).find((each) => each.startsWith("parley-messenger"));
    return (JSON.parse(localStorage.getItem(key ?? "") ?? "") as { token: string }).token;
  });
  await returning.frame.evaluate(() => dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true })));
  expect(await returning.frame.evaluate(() => getComputedStyle(document.documentElement).visibility)).toBe("hidden");
  expect(await tab.site("fcWidget.user.clear().then(({ success }) => success)")).toBe(true);
  await returning.frame.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  for (const each of [tab, other, returning]) {
    const { conversations, texts, visitor, draft } = await each.until(({ conversations: all }) => all.length === 0);
    expect([conversations, texts, visitor, draft]).toEqual([[], [], undefined, undefined]);
    expect(await keptItems(each)).toEqual([]);
  }
  await returning.frame.waitForFunction(() => getComputedStyle(document.documentElement).visibility === "visible");
  const reply = await fetch(`${s.service}/messenger/api/visitor`, { headers: { authorization: `Bearer ${token}` } });
  expect(reply.status).toBe(401);
  await begin(tab, "the next person");
  expect((await tab.snapshot()).conversations).toHaveLength(1);
});

test("deleting the user ends the session in an open panel, and the next message begins a new user", async () => {
  const tab = await s.openTab(browser);
  await begin(tab, "to be deleted");
  const { visitor } = await tab.until(({ connection }) => connection === "connected");
  await s.client.users.deleteUser({ params: { user_id: visitor?.user_id ?? "" } });
  await tab.until(({ conversations, visitor: now }) => conversations.length === 0 && now === undefined);
  expect(await keptItems(tab)).toEqual([]);
  await begin(tab, "as a new user");
  expect((await tab.snapshot()).visitor?.user_id).not.toBe(visitor?.user_id);
});

test("a page that names another externalId shows nothing of the stored session", async () => {
  const ada = await s.openTab(browser, { externalId: "ada-1" });
  await begin(ada, "from Ada");
  const bob = await s.openTab(browser, { externalId: "bob-1" });
  expect((await bob.snapshot()).conversations).toEqual([]);
  await ada.until(({ conversations }) => conversations.length === 0);
  await begin(bob, "from Bob");
  expect((await ada.snapshot()).conversations).toEqual([]);
  await begin(ada, "from Ada again");
  expect((await bob.snapshot()).conversations).toHaveLength(1);
  expect((await ada.snapshot()).isKept).toBe(false);
});

test("externalId and restoreId restore the conversations in another browser; a wrong restoreId begins a new user", async () => {
  const tab = await s.openTab(browser, { externalId: "eve-1" });
  await begin(tab, "from the first device");
  const { restoreId } = await tab.site<{ restoreId: string }>("fcWidget.user.get().then(({ data }) => data)");
  const [second, third] = [await s.newBrowser(), await s.newBrowser()];
  const restored = await s.openTab(second, { externalId: "eve-1", restoreId });
  expect((await restored.snapshot()).conversations).toHaveLength(1);
  const refused = await s.openTab(third, { externalId: "eve-1", restoreId: "wrong" });
  expect((await refused.snapshot()).conversations).toEqual([]);
  await begin(refused, "as a new user");
  expect((await refused.snapshot()).conversations).toHaveLength(1);
  await Promise.all([second.close(), third.close()]);
});

test("an anonymous visitor who is identified keeps the conversation if the identity has no user, else loses it", async () => {
  const tab = await s.openTab(browser);
  await begin(tab, "anonymous");
  await tab.site("fcWidget.setExternalId('kim-1')");
  await tab.until(({ visitor }) => visitor?.external_id === "kim-1");
  expect((await tab.snapshot()).conversations).toHaveLength(1);
  const second = await s.newBrowser();
  const other = await s.openTab(second);
  await begin(other, "somebody else");
  await other.site("fcWidget.setExternalId('kim-1')");
  await other.until(({ conversations }) => conversations.length === 0);
  await second.close();
});

const BLOCKED = `
  for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("Access is denied", "SecurityError"); } });
`;

test("where storage is blocked the session ends with the page, and the messenger works", async () => {
  const context = await s.newBrowser(BLOCKED);
  const tab = await s.openTab(context);
  const id = await begin(tab, "in memory");
  expect((await tab.snapshot()).isKept).toBe(false);
  await answer(id, "an answer");
  await tab.until(({ texts }) => texts.includes("an answer"));
  const other = await s.openTab(context);
  expect((await other.snapshot()).conversations).toEqual([]);
  await begin(other, "also in memory");
  await tab.site("fcWidget.user.clear()");
  await other.until(({ conversations }) => conversations.length === 0);
  await context.close();
});

test("a reply sounds if the visitor wants it, while the panel is closed, and the browser's console stays silent", async () => {
  const context = await s.newBrowser(
    "globalThis.tones = 0; const { start } = OscillatorNode.prototype; OscillatorNode.prototype.start = function (at) { tones += 1; return start.call(this, at); };",
  );
  const tab = await s.openTab(context);
  const lines: string[] = [];
  tab.page.on("console", (message) => lines.push(message.text()));
  const tones = () => tab.frame.evaluate(() => (globalThis as unknown as { readonly tones: number }).tones);
  const until = (count: number) => waitUntil(async () => (await tones()) === count, { details: () => lines.join() });
  const id = await begin(tab, "Is it there?");
  await tab.site("fcWidget.close()");
  await answer(id, "Not yet.");
  await tab.until(({ unreadCount }) => unreadCount === 1);
  // Without a gesture of a person the browser would refuse; the debugger's calls count as one.
  await tab.frame.evaluate(() => panel.actions.setPreferences({ sound: true }));
  await until(2);
  await answer(id, "Now it is.");
  await until(4);
  await tab.site("fcWidget.open()");
  await answer(id, "You see this one.");
  const { conversations } = await tab.until(({ unreadCount }) => unreadCount === 3);
  expect(conversations[0]?.unread_count).toBe(3);
  await tab.site("fcWidget.close()");
  // A message that arrives while the sound is played has no sound of its own.
  const isPlaying = () =>
    tab.frame.evaluate(async () => {
      const { held = [] } = await navigator.locks.query();
      return held.some(({ name = "" }) => name.endsWith(" sound"));
    });
  await waitUntil(async () => !(await isPlaying()));
  await answer(id, "And not this one.");
  await until(6);
  expect(lines).toEqual([]);
  await context.close();
});
