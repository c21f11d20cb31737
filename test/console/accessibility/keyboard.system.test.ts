import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { fillAccount } from "../support/content.ts";
import { keyboardOf, type Keyboard } from "./focus.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** A day's work without a mouse: after each step the focus is where an agent continues. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let page: Page;
let keys: Keyboard;

beforeAll(async () => {
  s = await consoleHarness();
  await fillAccount(s);
  agent = await s.visit();
  ({ page } = agent);
  keys = await keyboardOf(page);
  await agent.session.replyTemplates.createReplyTemplate({
    body: { name: "Welcome", shortcut: "welcome", text: "Hello {{customer.first_name}}!", is_shared: false },
  });
});
afterAll(() => s.stop());

const conversationOf = (id: string) => s.client.conversations.getConversation({ params: { conversation_id: id } });
const messagesOf = async (id: string) =>
  (await s.client.messages.listMessages({ params: { conversation_id: id } })).messages.toReversed();
const textsOf = async (id: string) =>
  (await messagesOf(id)).map(({ message_parts }) => message_parts[0]?.text?.content);
const tomasz = async () =>
  (await s.client.agents.listAgents({ query: { items_per_page: 50 } })).agents.find(
    ({ first_name }) => first_name === "Tomasz Wielki",
  )?.id;

const openInbox = async (name: string) => {
  await agent.open("/console/inbox");
  await page.getByRole("grid").getByRole("row", { name }).waitFor();
};
/** Begins conversations, the last one first in the list, and opens the inbox. */
const begin = async (...names: readonly string[]) => {
  const begun = [];
  for (const name of names) begun.push(await s.beginConversation(name, `Hello from ${name}`));
  await openInbox(names.at(-1) ?? "");
  return begun;
};
/** Opens the first conversation of the list. */
const openFirst = async (name: string) => {
  await keys.press("j", "Enter");
  await page.getByRole("heading", { level: 1, name }).waitFor();
};

test("the keys of the list move between conversations, and Escape leads from an open one back to its row", async () => {
  await begin("Lena Low", "Mona Middle", "Hugo High");
  await keys.press("j");
  await keys.expectFocus("row", /Hugo High/);
  await keys.press("j", "j");
  await keys.expectFocus("row", /Lena Low/);
  await keys.press("k");
  await keys.expectFocus("row", /Mona Middle/);
  await keys.press("ArrowDown", "ArrowUp", "ArrowUp");
  await keys.expectFocus("row", /Hugo High/);
  await keys.press("ArrowDown", "Enter");
  await page.getByRole("heading", { level: 1, name: "Mona Middle" }).waitFor();
  await keys.press("r");
  await keys.expectFocus("textbox", "Reply to the customer");
  await keys.press("Escape");
  await keys.expectFocus("region", "Messages of the conversation");
  await keys.press("Escape");
  await page.waitForURL("**/console/inbox*");
  await keys.expectFocus("row", /Mona Middle/);
  await keys.press("j");
  await keys.expectFocus("row", /Lena Low/);
});

test("a reply, a private note and a template are written by keys alone", async () => {
  const [begun] = await begin("Wanda Write");
  const id = begun?.id ?? "";
  await openFirst("Wanda Write");
  await keys.press("r");
  await keys.expectFocus("textbox", "Reply to the customer");
  await keys.type("just exam"); // letters of shortcuts
  await keys.press("Control+Enter");
  await eventually(async () => expect((await textsOf(id)).at(-1)).toBe("just exam"));
  await keys.expectFocus("textbox", "Reply to the customer");
  await keys.press("Escape", "n");
  await keys.expectFocus("textbox", "Private note, for your team only");
  await keys.type("Ask the warehouse.");
  await keys.press("Enter");
  await eventually(async () => expect((await messagesOf(id)).at(-1)?.message_type).toBe("private"));
  await keys.press("Escape", "r");
  await keys.expectFocus("textbox", "Reply to the customer");
  await keys.type("/wel");
  await page.getByRole("option", { name: /Welcome/ }).waitFor();
  await keys.press("Enter");
  await keys.type(" ");
  await keys.tabTo("button", "Reply templates");
  await keys.press("Enter");
  await keys.expectFocus("searchbox", "Find a template");
  await keys.type("Welc");
  await page.getByRole("option", { name: /Welcome/ }).waitFor();
  await keys.press("Enter");
  await keys.expectFocus("textbox", "Reply to the customer");
  await keys.press("Enter");
  await eventually(async () => expect((await textsOf(id)).at(-1)).toBe("Hello Wanda Write! Hello Wanda Write!"));
});

test("agent, priority and a property are chosen, and the conversation is resolved, undone and reopened by keys alone", async () => {
  const [begun] = await begin("Stefan State");
  const id = begun?.id ?? "";
  const shows = (state: object) => eventually(async () => expect(await conversationOf(id)).toMatchObject(state));
  await openFirst("Stefan State");
  await keys.press("a");
  await keys.expectFocus("searchbox", "Agent");
  await keys.type("Tomasz");
  await keys.press("Enter");
  await shows({ status: "assigned", assigned_agent_id: await tomasz() });
  await keys.expectFocus("row", /Stefan State/);
  // The chosen one again changes nothing, and closes the list.
  await keys.press("a");
  await keys.expectFocus("searchbox", "Agent");
  await keys.type("Tomasz");
  await keys.press("Enter");
  await keys.expectFocus("row", /Stefan State/);
  await keys.press("p");
  await keys.expectFocus("searchbox", "Priority");
  await keys.type("High");
  await keys.press("Enter");
  await shows({ properties: { priority: "High" } });
  await keys.expectFocus("row", /Stefan State/);
  // Closed and shown again: the details have a column.
  await keys.press("d");
  await page.getByRole("button", { name: "Show the details" }).waitFor();
  await keys.press("d");
  await keys.tabTo("textbox", "Amount refunded");
  await keys.type("12.5");
  await keys.press("Enter");
  await shows({ properties: { cf_amount: "12.5" } });
  await keys.expectFocus("textbox", "Amount refunded");
  await keys.press("Escape");
  await keys.expectFocus("region", "Messages of the conversation");
  await keys.tabTo("button", "Resolve");

  await keys.press("e");
  await keys.expectFocus("button", /Reason/);
  await keys.press("Escape");
  await keys.expectFocus("button", "Resolve");
  expect((await conversationOf(id)).status).toBe("assigned");
  await keys.press("e");
  await keys.expectFocus("button", /Reason/);
  await keys.press("Enter");
  await keys.expectFocus("option", "Delay");
  await keys.press("ArrowDown", "Enter");
  await keys.expectFocus("button", /Damage.*Reason/);
  await keys.tabTo("button", "Resolve");
  await keys.press("Enter");
  await shows({ status: "resolved", properties: { cf_reason: "Damage" } });
  await keys.expectFocus("button", "Reopen");
  await keys.press("z");
  await shows({ status: "assigned" });
  await keys.expectFocus("button", "Resolve");
  await keys.press("e");
  await shows({ status: "resolved" });
  await keys.expectFocus("button", "Reopen");
  await keys.press("o");
  await shows({ status: "new" });
  await keys.expectFocus("button", "Resolve");
});

test("a notice that has the focus stays, and gives it back when its action is pressed", async () => {
  const [begun] = await begin("Tilda Toast");
  await s.client.conversations.updateConversation({
    params: { conversation_id: begun?.id ?? "" },
    body: { properties: { cf_reason: "Delay", priority: "Low" } },
  });
  await page.getByRole("row", { name: /Tilda Toast.*Low/ }).waitFor();
  await openFirst("Tilda Toast");
  await keys.press("e");
  await page.getByText("Conversation resolved.").waitFor();
  await keys.tabTo("button", "Undo");
  await keys.press("Enter");
  await eventually(async () => expect((await conversationOf(begun?.id ?? "")).status).not.toBe("resolved"));
  // The last place before the notice.
  await keys.expectFocus("button", "Ratings");
});

test("several conversations are selected and assigned together by keys alone", async () => {
  const begun = await begin("Bulk One", "Bulk Two", "Bulk Three");
  await keys.press("j", "x", "Shift+ArrowDown", "j", "x");
  await page.getByRole("status").getByText("3 selected").waitFor();
  await keys.tabTo("button", "Assign", "Shift+Tab");
  await keys.press("Enter");
  await keys.expectFocus("menuitem", "Me");
  await keys.type("Tomasz");
  await keys.expectFocus("menuitem", "Tomasz Wielki");
  await keys.press("Enter");
  const id = await tomasz();
  for (const each of begun)
    await eventually(async () => expect((await conversationOf(each.id)).assigned_agent_id).toBe(id));
  await keys.expectFocus("row", /Bulk/);
  await keys.press("x", "Escape");
  await keys.expectFocus("row", /Bulk/);
  expect(await page.getByRole("row", { selected: true }).count()).toBe(0);
});

describe("single letters", () => {
  /** Presses keys that would move, select, write, resolve and list, and waits until the page has shown what they did. */
  const pressLetters = async (modifier = "") => {
    await keys.press(...["j", "x", "n", "e", "?"].map((letter) => modifier + letter));
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  };
  const expectNothing = async (name: RegExp) => {
    await keys.expectFocus("row", name);
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(await page.getByRole("row", { selected: true }).count()).toBe(0);
  };

  test("are text while a field has the focus", async () => {
    await begin("Fiona Field");
    await openFirst("Fiona Field");
    await keys.press("r");
    await keys.type("jxan?egi");
    const field = page.getByRole("textbox", { name: "Reply to the customer" });
    expect(await field.inputValue()).toBe("jxan?egi");
    await keys.expectFocus("textbox", "Reply to the customer");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await field.fill("");
  });

  test.each(["Control+", "Alt+", "Meta+"])("with %s do nothing", async (modifier) => {
    const name = `Mo ${modifier}`;
    await begin(name);
    await openFirst(name);
    await pressLetters(modifier);
    await expectNothing(/^Select the conversation with Mo/);
  });

  test("do nothing when they are turned off in the preferences, and Ctrl+K remains", async () => {
    await agent.open("/console/preferences");
    await page.getByRole("switch", { name: "Single letters are shortcuts" }).waitFor();
    await keys.tabTo("switch", "Single letters are shortcuts");
    await keys.press("Space");
    await begin("Dora Dictates");
    await keys.tabTo("row", /Dora Dictates/);
    await pressLetters();
    await expectNothing(/Dora Dictates/);
    await keys.press("ArrowDown", "ArrowUp", "Enter");
    await page.getByRole("heading", { level: 1, name: "Dora Dictates" }).waitFor();
    await pressLetters();
    await expectNothing(/Dora Dictates/);
    await keys.press("Control+k");
    await keys.expectFocus("combobox", "Commands");
    await keys.type("keyboard shortcuts");
    await keys.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await dialog.waitFor();
    await keys.tabTo("switch", "Single letters are shortcuts");
    await keys.press("Space", "Escape");
    await dialog.waitFor({ state: "detached" });
    await keys.press("j");
    await keys.expectFocus("row", /./);
  });
});

test("keys do nothing behind a dialog: a written message is not sent, and no other dialog opens", async () => {
  const [begun] = await begin("Berta Behind");
  await openFirst("Berta Behind");
  await keys.press("r");
  await keys.type("Not finished");
  await keys.press("Escape", "e");
  await keys.expectFocus("button", /Reason/);
  await keys.press("Control+Enter", "Control+k", "a", "o");
  await keys.expectFocus("button", /Reason/);
  expect(await page.getByRole("dialog").count()).toBe(1);
  await keys.press("Escape");
  await keys.expectFocus("region", "Messages of the conversation");
  expect(await page.getByRole("textbox", { name: "Reply to the customer" }).inputValue()).toBe("Not finished");
  expect(await messagesOf(begun?.id ?? "")).toHaveLength(1);
});

test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
