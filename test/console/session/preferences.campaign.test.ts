import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { signInDialog } from "../support/unsaved.ts";
import { consoleHarness, eventually, type AgentBrowser } from "../support/harness.ts";
import { fileFixture } from "../../support/file-fixture.ts";

/** What an agent chooses for one browser, and the end of a session. Each test has a browser of its own. */

let agent: AgentBrowser;
let page: Page;

const s = fileFixture(consoleHarness);
beforeEach(async () => {
  agent = await s.visit();
  ({ page } = agent);
});
afterEach(async () => {
  expect(agent.errors).toEqual([]);
  await agent.close();
});

const openPreferences = async (title = "Preferences") => {
  await agent.open("/console/preferences");
  await page.getByRole("heading", { name: title, level: 1 }).waitFor();
};
/** Chooses an option of a list of the preferences. */
const choose = async (label: RegExp, option: string, shown: Page = page) => {
  await shown.getByRole("button", { name: label }).click();
  await shown.getByRole("option", { name: option, exact: true }).click();
};
const languageOf = (shown: Page) => shown.evaluate(() => document.documentElement.lang);
const themeOf = (shown: Page) => shown.evaluate(() => document.documentElement.dataset["theme"]);

describe("the language", () => {
  /** Texts that are the same in both languages. */
  const SAME = new Set(["Name", "Text", "Agent", "Status", "Details", "Deutsch", "English", "Parley", "Filter"]);

  /** The texts and names of controls that a page shows. */
  const textsOf = (shown: Page): Promise<readonly string[]> =>
    shown.evaluate(() => {
      const texts = new Set<string>();
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node instanceof Element)
          for (const name of ["aria-label", "placeholder", "title"]) texts.add(node.getAttribute(name)?.trim() ?? "");
        else if (!node.parentElement?.closest("script, style, noscript")) texts.add(node.textContent?.trim() ?? "");
      }
      return [...texts].filter((text) => /\p{L}{3}/u.test(text));
    });

  test("changes every text of all pages, is kept after a reload, and holds in other tabs", async () => {
    const begun = await s.beginConversation("Lang Uage", "4711");
    const PATHS = [
      "inbox",
      `conversations/${begun.id}`,
      "customers",
      `customers/${begun.userId}`,
      "search",
      "templates",
      "preferences",
    ];
    const read = async () => {
      const found = new Map<string, readonly string[]>();
      for (const path of PATHS) {
        await agent.open(`/console/${path}`);
        await page.getByRole("main").getByRole("heading").first().waitFor();
        // Lists, details and counts come after the heading.
        let before: readonly string[] = [];
        await eventually(async () => {
          const now = await textsOf(page);
          const isSame = now.length === before.length;
          before = now;
          expect([isSame, now.length > 10]).toEqual([true, true]);
        });
        found.set(path, before);
      }
      return found;
    };
    const english = await read();
    await choose(/Language/, "Deutsch");
    await page.getByRole("heading", { name: "Einstellungen", level: 1 }).waitFor();
    expect(await languageOf(page)).toBe("de");
    await page.reload();
    await page.getByRole("heading", { name: "Einstellungen", level: 1 }).waitFor();
    const german = await read();

    // Names and texts of the account are in no language of the page.
    const workspace = await agent.session.workspace.getWorkspace();
    const { templates } = await agent.session.replyTemplates.listReplyTemplates();
    const names = workspace.agents.map(({ first_name = "", last_name = "" }) => `${first_name} ${last_name}`);
    const data = JSON.stringify([workspace, names, templates, begun, "Lang Uage", "lang.uage@customer.example"]);
    const remaining = PATHS.flatMap((path) =>
      (english.get(path) ?? [])
        .filter(
          (text) =>
            german.get(path)?.includes(text) === true &&
            !SAME.has(text) &&
            !data.includes(JSON.stringify(text).slice(1, -1)),
        )
        .map((text) => `${path}: ${text}`),
    );
    expect(remaining).toEqual([]);

    const other = await agent.tab("/console/inbox");
    await other.getByRole("navigation", { name: "Konsole" }).getByRole("link", { name: "Posteingang" }).waitFor();
    await openPreferences("Einstellungen");
    await choose(/Sprache/, "English");
    await page.getByRole("heading", { name: "Preferences", level: 1 }).waitFor();
    expect(await languageOf(page)).toBe("en");
  });

  test("is at first that of the browser, with the dates of its region", async () => {
    const german = await s.visit(undefined, { locale: "de-AT" });
    await german.page.getByRole("navigation", { name: "Konsole" }).waitFor();
    await german.close();
    const begun = await s.beginConversation("Tim Time", "Hello");
    const { created_time = "" } = await s.client.conversations.getConversation({
      params: { conversation_id: begun.id },
    });
    for (const locale of ["en-GB", "en-US"]) {
      const other = await s.visit(undefined, { locale, timezoneId: "UTC" });
      const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
      await other.open(`/console/conversations/${begun.id}`);
      await other.page
        .getByRole("region", { name: "Messages of the conversation" })
        .getByRole("time")
        .getByText(time.format(new Date(created_time)), { exact: true })
        .waitFor();
      await other.close();
    }
  });
});

describe("the colours", () => {
  const backgroundOf = (shown: Page) => shown.evaluate(() => getComputedStyle(document.body).backgroundColor);

  test("are light or dark as chosen, in all tabs and after a reload, or follow the device", async () => {
    await page.emulateMedia({ colorScheme: "light" });
    await openPreferences();
    const other = await agent.tab("/console/inbox");
    await other.emulateMedia({ colorScheme: "light" });
    expect([await themeOf(page), await themeOf(other)]).toEqual(["light", "light"]);
    const light = await backgroundOf(page);
    await choose(/Colours/, "Dark");
    await eventually(async () => expect([await themeOf(page), await themeOf(other)]).toEqual(["dark", "dark"]));
    const dark = await backgroundOf(page);
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole("heading", { name: "Preferences" }).waitFor();
    expect([await themeOf(page), await backgroundOf(page)]).toEqual(["dark", dark]);

    await choose(/Colours/, "As the device");
    await eventually(async () => expect(await themeOf(page)).toBe("light"));
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(async () => expect([await themeOf(page), await backgroundOf(page)]).toEqual(["dark", dark]));
    await choose(/Colours/, "Light");
    await eventually(async () => expect([await themeOf(page), await backgroundOf(page)]).toEqual(["light", light]));
  });

  test("are changed by the palette, which offers the other themes also when they follow the device", async () => {
    await page.emulateMedia({ colorScheme: "dark" });
    await openPreferences();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("colours");
    await page.getByRole("option", { name: "Use light colours" }).click();
    await eventually(async () => expect(await themeOf(page)).toBe("light"));
  });
});

test("single letters that are turned off are off in all tabs, and after a reload", async () => {
  await s.beginConversation("Letta Letter", "Hello");
  const other = await agent.tab("/console/inbox");
  await other.getByRole("grid").waitFor();
  const list = other.getByRole("dialog", { name: "Keyboard shortcuts" });
  const palette = other.getByRole("dialog", { name: "Commands" });
  await openPreferences();
  await page.getByText("Single letters are shortcuts").click();
  await eventually(async () =>
    expect(await other.evaluate(() => localStorage.getItem("parley-letter-shortcuts"))).toBe("off"),
  );
  await other.keyboard.press("?");
  await other.keyboard.press("Control+k");
  await palette.waitFor();
  expect(await list.count()).toBe(0);
  await other.keyboard.press("Escape");
  await palette.waitFor({ state: "detached" });
  await page.reload();
  const setting = page.getByRole("switch", { name: "Single letters are shortcuts" });
  await setting.waitFor();
  expect(await setting.isChecked()).toBe(false);
  await page.getByText("Single letters are shortcuts").click();
  await eventually(async () => {
    await other.keyboard.press("?");
    expect(await list.count()).toBe(1);
  });
});

test("Enter begins a line when it does not send, and then Ctrl+Enter sends", async () => {
  const { id } = await s.beginConversation("Enter Line", "Hello");
  await openPreferences();
  await page.getByText("Enter sends a message").click();
  await agent.open(`/console/conversations/${id}`);
  const field = page.getByRole("textbox", { name: "Reply to the customer" });
  await field.pressSequentially("One");
  await field.press("Enter");
  await field.pressSequentially("Two");
  expect(await field.inputValue()).toBe("One\nTwo");
  await field.press("Control+Enter");
  await eventually(async () => {
    const { messages } = await s.client.messages.listMessages({ params: { conversation_id: id } });
    expect(messages.map(({ message_parts }) => message_parts[0]?.text?.content)).toContain("One\nTwo");
  });
});

describe("signing out", () => {
  /** What the browser keeps for a tab. */
  const keptIn = (tab: Page) => tab.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  const isRefused = async () => {
    await expect(agent.session.workspace.getWorkspace()).rejects.toMatchObject({ problem: { code: 401 } });
  };

  test("ends the session in all tabs, its cookie and token are refused, and Back shows nothing of the customers", async () => {
    const begun = await s.beginConversation("Secret Customer", "Nobody else may read this.");
    await agent.open(`/console/conversations/${begun.id}`);
    await page.getByText("Nobody else may read this.").last().waitFor();
    const other = await agent.tab(`/console/customers/${begun.userId}`);
    await other.getByRole("heading", { name: "Secret Customer" }).waitFor();
    const cookies = await agent.context.cookies();
    await page.getByRole("link", { name: "Customers", exact: true }).click();
    await page.getByRole("heading", { name: "Customers" }).waitFor();

    // Recently opened places, for the palette.
    for (const tab of [page, other]) expect(await keptIn(tab)).toContain("Secret");
    await page.getByRole("button", { name: /^Your account/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    for (const tab of [page, other]) await tab.waitForURL("**/sign-in*");
    for (const tab of [page, other]) {
      const kept = await keptIn(tab);
      expect(kept).not.toContain("Secret");
      expect(kept).not.toContain("parley-session-token");
    }
    await isRefused();
    // Whoever has kept the cookie has nothing of it.
    await agent.context.addCookies(cookies);
    await page.goBack();
    await page.waitForURL("**/sign-in?next=*");
    await page.getByRole("heading").first().waitFor();
    expect(await page.content()).not.toContain("Secret Customer");
    // The sign-in has taken the place of the customer in the other tab's history.
    await other.goBack();
    expect(other.url()).not.toContain("/console");
    agent.errors.length = 0;
  });

  test("elsewhere asks an open page to sign in again with its next action", async () => {
    await openPreferences();
    await agent.session.sessions.endSession();
    await page.getByRole("navigation").getByRole("link", { name: "Templates" }).click();
    await signInDialog(page).waitFor();
    agent.errors.length = 0;
  });
});
