import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import {
  accessibilityViolations,
  frameOf,
  waitForExpression,
  frontFixture,
  settledState,
  VALUES,
  type FrontFixture,
} from "./front-fixture.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";

/** Position and appearance of the manifest's placeholders. */

let fixture: FrontFixture;
let page: Page;
beforeAll(async () => {
  fixture = await frontFixture("front-pages");
  fixture.service.createConversation("c-1", "Sam", "Where is my order?");
  fixture.service.createConversation("c-2", "Kim", "I want to pay");
  await fixture.host.install(VALUES);
});
afterAll(() => fixture.close());
afterEach(() => page.context().close());

const button = (name: string) => page.getByRole("button", { name, exact: true });

test("the sidebar placeholder is open initially, and the background placeholder runs hidden", async () => {
  page = await fixture.visit();
  await (await frameOf(page, "index.html")).locator("#state").getByText("Active").waitFor();
  const hidden = await frameOf(page, "background.html");
  await waitForExpression(hidden, "heard.includes('activated')");
  expect(await page.locator("iframe[title*=background]").isVisible()).toBe(false);
});

test.each([
  ["Conversation message editor", "editor.html"],
  ["Left nav chat", "panel.html"],
  ["Full page app", "full-page.html"],
])(
  "the placeholder %s opens by its button and closes with Escape; the app receives both events, and the focus returns to the button",
  async (name, file) => {
    page = await fixture.visit();
    expect(page.frames().some((one) => one.url().includes(file))).toBe(false);
    await button(name).focus();
    await page.keyboard.press("Enter");
    const frame = await frameOf(page, file);
    await frame.locator("#state").getByText("Active").waitFor();
    expect(await button(name).getAttribute("aria-expanded")).toBe("true");
    await button(`Close ${name}`).focus();
    await page.keyboard.press("Escape");
    await waitForExpression(frame, "heard.at(-1) === 'deactivated'");
    expect(await page.locator(`iframe[title*="${name}"]`).isVisible()).toBe(false);
    expect(await button(name).evaluate((element) => element === document.activeElement)).toBe(true);
    await button(name).click();
    await waitForExpression(frame, "heard.at(-1) === 'activated'");
    expect(await settledState(frame, "client.instance.close()")).toMatchObject(["ok", {}]);
    await waitForExpression(frame, "heard.at(-1) === 'deactivated'");
  },
);

test("a sidebar can't close itself", async () => {
  page = await fixture.visit();
  const frame = await frameOf(page, "index.html");
  expect(await settledState(frame, "client.instance.close()")).toMatchObject(["no", { status: 400 }]);
});

test.each(["full_page_app", "common.full_page_app"])(
  "?place=%s opens the placeholder, and the switcher names it",
  async (placeholder) => {
    page = await fixture.visit(`?place=${placeholder}`);
    await frameOf(page, "full-page.html");
    expect(await page.locator("[data-place]").inputValue()).toBe("common.full_page_app");
    expect(await page.locator("[data-messages]").isVisible()).toBe(false);
    await page.locator("[data-place]").selectOption("common.left_nav_chat");
    await frameOf(page, "panel.html");
    expect(new URL(page.url()).searchParams.get("place")).toBe("common.left_nav_chat");
  },
);

test("the switcher names the placeholder opened last, and the sidebar again after it closes", async () => {
  page = await fixture.visit();
  const named = () => page.locator("[data-place]").inputValue();
  expect(await named()).toBe("chat_conversation.conversation_user_info");
  await button("Full page app").click();
  expect(await named()).toBe("common.full_page_app");
  await button("Close Full page app").click();
  expect(await named()).toBe("chat_conversation.conversation_user_info");
  expect(new URL(page.url()).searchParams.get("place")).toBe("chat_conversation.conversation_user_info");
});

test("?place= of an unknown placeholder lists the known ones", async () => {
  page = await fixture.visit("?place=ticket_sidebar");
  await page.getByText("The app has no place 'ticket_sidebar'").waitFor();
});

test("the app's context names its placeholder, module and product", async () => {
  page = await fixture.visit();
  const frame = await frameOf(page, "index.html");
  expect(await frame.evaluate("client.context")).toEqual({
    app: "Front pages",
    product: "freshchat",
    productContext: { name: "freshchat", url: `https://${VALUES.domain}` },
    location: "conversation_user_info",
    module: "chat_conversation",
  });
});

test("opening another conversation reloads the frames beside it and keeps full page and panel", async () => {
  page = await fixture.visit("?conversation=c-1", { viewport: { width: 1_600, height: 800 } });
  await button("Left nav chat").click();
  const panel = await frameOf(page, "panel.html");
  await panel.evaluate("window.mine = 1");
  await (await frameOf(page, "index.html")).evaluate("window.mine = 1");
  await page.locator("[data-list]").getByRole("button", { name: "Kim" }).click();
  await page.locator("[data-messages]").getByText("I want to pay").waitFor();
  const beside = await frameOf(page, "index.html");
  expect(await settledState(beside, "client.data.get('user')")).toMatchObject(["ok", { user: { first_name: "Kim" } }]);
  expect(await beside.evaluate("window.mine")).toBeUndefined();
  expect(await panel.evaluate("window.mine")).toBe(1);
});

describe("a change of the app's files", () => {
  test("reloads the frames within moments, and an error is reported while the last good version stays active", async () => {
    page = await fixture.visit();
    await (await frameOf(page, "index.html")).evaluate("window.mine = 1");
    await fixture.write(
      "server/server.js",
      "exports = { add: function (args) { renderData(null, { sum: 42 }); }, refuse: function () {} };",
    );
    await page.waitForFunction("true");
    // The frame that is found first may be the one that is about to be replaced.
    const newFrame = () =>
      frameOf(page, "index.html")
        .then((frame) => frame.evaluate("window.mine"))
        .catch(() => 1);
    await waitUntil(async () => (await newFrame()) !== 1);
    const frame = await frameOf(page, "index.html");
    expect(await settledState(frame, "client.request.invoke('add', {})")).toMatchObject([
      "ok",
      { response: { sum: 42 } },
    ]);
    await fixture.write("server/server.js", "exports = {;");
    await page.getByRole("heading", { name: "The newest change of this app has an error" }).waitFor();
    expect(await page.locator("[data-part=errors]").textContent()).toContain("server/server.js:1");
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(await settledState(await frameOf(page, "index.html"), "client.request.invoke('add', {})")).toMatchObject([
      "ok",
      {},
    ]);
  });
});

const VIEWPORTS = [
  [320, 640, "light"],
  [320, 640, "dark"],
  [1_280, 800, "light"],
  [1_280, 800, "dark"],
] as const;
const PLACEHOLDERS = ["conversation_user_info", "conversation_message_editor", "left_nav_chat", "full_page_app"];

// Of the sixteen combinations, five contain each viewport and each placeholder.
test.each(
  sampleRows(
    VIEWPORTS.flatMap((viewport) => PLACEHOLDERS.map((placeholder) => [...viewport, placeholder] as const)),
    5,
  ),
)("the host page at %d × %d, %s, with %s is accessible", async (width, height, colorScheme, placeholder) => {
  page = await fixture.visit(`?place=${placeholder}`, { viewport: { width, height }, colorScheme, bypassCSP: true });
  expect(await accessibilityViolations(page)).toEqual([]);
});
