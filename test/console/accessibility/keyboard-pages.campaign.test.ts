import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { fillAccount, type ConsoleContent } from "../support/content.ts";
import { keyboardOf, type Keyboard } from "./focus.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** All pages without a mouse: the palette of commands and the list of shortcuts. */

let s: ConsoleHarness;
let content: ConsoleContent;
let agent: AgentBrowser;
let page: Page;
let keys: Keyboard;

beforeAll(async () => {
  s = await consoleHarness();
  content = await fillAccount(s);
  agent = await s.visit();
  ({ page } = agent);
  keys = await keyboardOf(page);
});
afterAll(() => s.stop());

const rows = () => page.getByRole("grid").getByRole("row");
const openInbox = async () => {
  await agent.open("/console/inbox");
  await rows().nth(3).waitFor();
};
/** Opens the palette and types. */
const find = async (text: string) => {
  await keys.press("Control+k");
  await keys.expectFocus("combobox", "Commands");
  await keys.type(text);
};
/** Presses the arrow key until the palette has chosen an option. */
const choose = async (name: RegExp) => {
  const chosen = page.getByRole("option", { selected: true });
  await page.getByRole("option", { name }).first().waitFor();
  await eventually(async () => {
    if (name.test((await chosen.innerText()).replaceAll(/\s+/g, " "))) return;
    await keys.press("ArrowDown");
    throw new Error(`The palette does not choose ${name}, but ${await chosen.innerText()}.`);
  });
  await keys.press("Enter");
};

test("an agent signs out and in again by keys alone", async () => {
  const other = await s.visit();
  const own = await keyboardOf(other.page);
  await other.page.getByRole("grid").waitFor();
  await own.press("Tab");
  await own.expectFocus("link", "Skip to the content");
  await own.tabTo("button", /^Your account: Olivia Reyes/);
  await own.press("Enter");
  await own.expectFocus("menuitem", /./);
  await own.type("Sign");
  await own.expectFocus("menuitem", "Sign out");
  await own.press("Enter");
  await other.page.waitForURL("**/sign-in");
  await other.page.goto(await s.signInLink());
  await own.tabTo("button", "Sign in");
  await own.press("Enter");
  await other.page.waitForURL("**/console/**");
  await other.page.getByRole("grid").waitFor();
  await own.press("j");
  await own.expectFocus("row", /./);
  expect(other.errors).toEqual([]);
  await other.close();
});

describe("the palette of commands", () => {
  beforeEach(openInbox);

  test("gives the focus back when Escape closes it", async () => {
    await keys.press("j", "j");
    const before = await keys.focus();
    await find("some");
    await keys.press("Escape");
    await keys.expectFocus(before.role, before.name);
  });

  test("finds a page, whose content then has the focus", async () => {
    await find("templ");
    await choose(/^Reply templates|^Templates/);
    await page.waitForURL("**/console/templates");
    await keys.expectFocus("main", "");
    await keys.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
  });

  test("finds a customer", async () => {
    await find("Yuki");
    await choose(/^Yuki Tanaka/);
    await page.getByRole("heading", { level: 1, name: "Yuki Tanaka" }).waitFor();
    await keys.expectFocus("main", "");
  });

  test("finds a conversation by its number, whose messages then have the focus", async () => {
    const { freshchat_conversation_id: number } = await s.client.conversations.getConversation({
      params: { conversation_id: content.short.id },
    });
    await agent.open("/console/preferences");
    await page.getByRole("heading", { name: "Preferences" }).waitFor();
    await keys.tabTo("link", "Profile and security");
    await find(`#${number}`);
    await choose(new RegExp(`^Conversation ${number}\\b`));
    await page.waitForURL(`**/console/conversations/${content.short.id}`);
    await keys.expectFocus("region", "Messages of the conversation");
    await keys.press("r");
    await keys.expectFocus("textbox", "Reply to the customer");
  });

  test("begins with the conversation that was opened last, with or without its details", async () => {
    await agent.open(`/console/conversations/${content.short.id}`);
    await page.getByRole("heading", { level: 1, name: "Noor Haddad" }).waitFor();
    await keys.press("g", "i", "Control+k");
    const recent = page.getByRole("group", { name: "Recently opened" }).getByRole("option");
    await recent.first().waitFor();
    expect(await recent.first().innerText()).toMatch(/^Noor Haddad #\d+/);
    await keys.press("Enter");
    await page.waitForURL(`**/console/conversations/${content.short.id}`);
  });

  test("runs a command on the open conversation", async () => {
    const begun = await s.beginConversation("Palle Palette", "Please assign me");
    await page.getByRole("row", { name: /Palle Palette/ }).waitFor();
    await keys.press("j", "Enter");
    await page.getByRole("heading", { level: 1, name: "Palle Palette" }).waitFor();
    await find("assign to me");
    await choose(/^Assign to me/);
    const { agent_id } = (await agent.session.workspace.getWorkspace()).agent;
    await eventually(async () =>
      expect(
        (await s.client.conversations.getConversation({ params: { conversation_id: begun.id } })).assigned_agent_id,
      ).toBe(agent_id),
    );
    await keys.expectFocus("row", /Palle Palette/);
  });

  test("searches for what matches no command", async () => {
    await find("parcel");
    await choose(/^Search for “parcel”/);
    await page.waitForURL("**/console/search?q=parcel");
    await keys.expectFocus("searchbox", /^Search messages/);
    await page
      .getByRole("status")
      .getByText(/\d+ results/)
      .waitFor();
    await keys.press("ArrowDown");
    await keys.expectFocus("link", /parcel/);
    await keys.press("Enter");
    await page.waitForURL("**/console/conversations/*");
    await keys.expectFocus("region", "Messages of the conversation");
  });
});

/** Some of each section. */
const SHORTCUTS = [
  ["Commands", "Ctrl+K"],
  ["Undo", "Z"],
  ["Inbox", "G", "I"],
  ["Next conversation", "J"],
  ["Select the conversation", "X"],
] as const;

test("? lists the shortcuts of the page, and Escape gives the focus back", async () => {
  await openInbox();
  await keys.press("j", "?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.waitFor();
  for (const [label, ...caps] of SHORTCUTS) {
    const line = dialog.getByRole("listitem").filter({ hasText: label });
    expect(await line.locator("kbd").allTextContents()).toEqual(caps);
  }
  await keys.press("Escape");
  await keys.expectFocus("row", /./);
});

test("two letters lead to each page, whose content then has the focus", async () => {
  await openInbox();
  await keys.press("j");
  for (const [letter, path] of [
    ["c", "customers"],
    ["t", "templates"],
    ["p", "preferences"],
  ] as const) {
    await keys.press("g", letter);
    await page.waitForURL(`**/console/${path}`);
    await keys.expectFocus("main", "");
  }
  await keys.press("g", "i");
  await page.waitForURL("**/console/inbox");
  await keys.press("j");
  await keys.expectFocus("row", /./);
});

test("the details open and close by a letter, and the focus in them goes to the messages", async () => {
  await page.setViewportSize({ width: 1_700, height: 900 });
  await agent.open(`/console/conversations/${content.full.id}`);
  await page.getByText("Amount refunded").waitFor();
  await keys.tabTo("textbox", "Amount refunded");
  await keys.tabTo("button", /^Properties/, "Shift+Tab");
  await keys.press("d");
  await page.getByText("Amount refunded").waitFor({ state: "detached" });
  await keys.expectFocus("region", "Messages of the conversation");
  await keys.press("d");
  await page.getByText("Amount refunded").waitFor();
  await page.setViewportSize({ width: 1_440, height: 900 });
});

test("the browser reported no errors", () => {
  // The customer's video is on a server that does not exist.
  expect(agent.errors.filter((error) => !error.includes("shop.example"))).toEqual([]);
});
