import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../framework/test/front/front-fixture.ts";
import { loaderFixture } from "./loader-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Content policies, style sheets, storage, foreign frames and small screens of the pages that embed the messenger. */

const s = fileFixture(loaderFixture);

/** @units whole pixels */
const boxOf = async (page: Page, selector: string) => {
  const { x, y, width, height } = (await page.locator(selector).boundingBox())!;
  return { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
};
const START = `<script nonce="n1">fcWidget.init({})</script>`;

describe("a strict content policy", () => {
  const policy = (service: string) =>
    `default-src 'none'; script-src 'nonce-n1'; connect-src ${service}; frame-src ${service}; img-src data:; require-trusted-types-for 'script'`;

  test("without unsafe-inline and with the three directives admits the messenger with its styles", async () => {
    const site = await s.visit({
      head: `<script nonce="n1" src="${s.service}/js/widget.js"></script>${START}`,
      headers: { "content-security-policy": policy(s.service) },
    });
    await site.page.getByRole("button", { name: "Chat" }).click();
    await site.panel();
    expect(await boxOf(site.page, "#fc_widget")).toMatchObject({ width: 384, height: 680 });
    expect(site.complaints).toEqual([]);
  });

  test("and a browser without constructed style sheets takes the nonce of the page", async () => {
    const site = await s.visit({
      head: `<script nonce="n1" src="${s.service}/js/widget.js"></script>${START}`,
      headers: { "content-security-policy": `${policy(s.service)}; style-src 'nonce-n1'` },
      before: "delete window.CSSStyleSheet",
    });
    await site.page.getByRole("button", { name: "Chat" }).click();
    await site.panel();
    expect(await boxOf(site.page, "#fc_widget")).toMatchObject({ width: 384, height: 680 });
    expect(site.complaints).toEqual([]);
  });

  test("that refuses the service's answers says which directive is missing", async () => {
    const site = await s.visit({
      head: s.script,
      headers: { "content-security-policy": `connect-src 'self'` },
    });
    await site.run("fcWidget.init({})");
    await site.page.getByRole("button", { name: "Chat" }).waitFor();
    expect(site.complaints).toContainEqual(expect.stringContaining(`connect-src ${s.service}`));
  });
});

/** Rules that pages have, and that break what others put into them. */
const LOUD_CSS = `
* { box-sizing: content-box !important; margin: 9px !important; padding: 9px !important; border: 3px solid red !important; transition: all 3s !important; min-width: 100px !important; position: relative !important; letter-spacing: 1em }
div { float: left; background: lime; width: 40%; max-width: 50px; transform: rotate(3deg); display: inline; z-index: 1; opacity: 0.3; inset: auto }
iframe { max-width: 100% !important; height: auto !important; width: 50px !important; opacity: 0.1; filter: blur(3px) }
button { display: none !important; all: unset }
html { --fc-color: red; font-size: 3px; color: red }
body { transform: scale(0.5); overflow: scroll }`;

test("rules of a loud page change neither the button nor the frame", async () => {
  const quiet = await s.visit();
  const loud = await s.visit({ head: `<style>${LOUD_CSS}</style>${s.script}` });
  for (const site of [quiet, loud]) await site.run("fcWidget.init({})");
  const look = async ({ page }: typeof quiet) => {
    await page.getByRole("button", { name: "Chat" }).waitFor();
    const button = await page.locator("#fc_frame button").evaluate((element) => {
      const { backgroundColor, opacity, borderTopWidth, padding } = getComputedStyle(element);
      return {
        backgroundColor,
        opacity,
        borderTopWidth,
        padding,
        box: element.getBoundingClientRect().toJSON() as object,
      };
    });
    await page.locator("#fc_frame button").click();
    await page.locator("#fc_widget").waitFor();
    const frame = await page.locator("#fc_widget").evaluate((element) => {
      const { opacity, filter, borderTopWidth } = getComputedStyle(element);
      return { opacity, filter, borderTopWidth, width: element.clientWidth, height: element.clientHeight };
    });
    return { button, frame };
  };
  const [one, other] = [await look(quiet), await look(loud)];
  expect(other.frame).toEqual(one.frame);
  expect(other.button).toEqual(one.button);
  expect(one.button).toMatchObject({ box: { width: 56, height: 56 } });
});

test.each([
  ["a rule for #fc_frame", "#fc_frame { bottom: 90px; right: 7px }"],
  ["a rule for the class of config.cssNames", ".shop-chat { bottom: 90px; right: 7px }"],
])("%s of the site moves the messenger", async (_, css) => {
  const site = await s.visit({ head: `<style>${css}</style>${s.script}` });
  await site.run("fcWidget.init({ config: { cssNames: { widget: 'shop-chat' } } })");
  await site.page.getByRole("button", { name: "Chat" }).waitFor();
  const { width, height } = site.page.viewportSize()!;
  expect(await boxOf(site.page, "#fc_frame")).toEqual({ x: width - 63, y: height - 146, width: 56, height: 56 });
});

test.each([
  [
    "by a rule",
    "document.head.append(Object.assign(document.createElement('style'), { textContent: '#fc_frame { display: none }' }))",
  ],
  ["by the style of the element", "document.querySelector('#fc_frame').style.display = 'none'"],
])("a site hides the messenger %s", async (_, hide) => {
  const site = await s.visit();
  await site.run("fcWidget.init({})");
  const button = site.page.locator("#fc_frame button");
  await button.waitFor();
  await site.run(`void (${hide})`);
  await button.waitFor({ state: "hidden" });
});

test("blocked storage does not stop the messenger", async () => {
  const before =
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError'); } })";
  const site = await s.visit({ before });
  await site.run("fcWidget.init({ open: true })");
  await site.inPanel("notify({ hasSession: true }), notify({ event: 'unreadCount:notify', data: { count: 1 } })");
  expect(site.complaints).toEqual([]);
});

test("a browser with a session loads the panel with the page, and one whose user was cleared does not", async () => {
  const site = await s.visit();
  await site.run("fcWidget.init({ open: true })");
  await site.inPanel("notify({ hasSession: true })");
  await site.page.waitForFunction("localStorage.length === 1");
  expect(await site.run("Object.values(localStorage)")).toEqual(["1"]);
  await site.page.reload();
  await site.run("fcWidget.init({})");
  await site.panel();
  expect(await site.run("fcWidget.isOpen()")).toBe(false);
  await site.run("fcWidget.user.clear()");
  expect(await site.run("localStorage.length")).toBe(0);
});

test("messages of the page and of foreign frames are not heard", async () => {
  const site = await s.visit({ body: `<iframe id="foreign" srcdoc="<script>onmessage = () => 0</script>"></iframe>` });
  await site.run("fcWidget.init({ open: true })");
  await site.inPanel("window.first = connected");
  await site.run("postMessage({ parley: 'panel-ready' }, '*')");
  await site.page
    .frames()[1]!
    .evaluate("parent.postMessage({ parley: 'panel-ready' }, '*'), parent.postMessage({ request: 'close' }, '*')");
  await site.run("new Promise((resolve) => setTimeout(resolve, 50))");
  expect(await site.inPanel("window.first === connected")).toBe(true);
  expect(await site.run("fcWidget.isOpen()")).toBe(true);
});

describe("the keyboard focus", () => {
  test("goes into the frame that the visitor opens, and returns when it is closed", async () => {
    const site = await s.visit({ body: "<input aria-label='Search'>" });
    await site.run("fcWidget.init({})");
    await site.page.getByRole("button", { name: "Chat" }).focus();
    await site.page.keyboard.press("Enter");
    await site.panel();
    expect(await site.run("document.activeElement.id")).toBe("fc_widget");
    await site.inPanel("notify({ request: 'close' })");
    await site.page.waitForFunction("!fcWidget.isOpen()");
    expect(
      await site.run("document.querySelector('#fc_frame').lastElementChild.shadowRoot.activeElement?.localName"),
    ).toBe("button");
  });

  test("stays where it is when the page opens the panel by itself", async () => {
    const site = await s.visit({
      body: "<input aria-label='Search' autofocus><script>document.querySelector('input').focus(); fcWidget.init({ open: true })</script>",
    });
    expect(await site.inPanel("calls[0]")).toEqual(["opened", { isFocused: false }]);
    expect(await site.run("document.activeElement.localName")).toBe("input");
  });
});

describe("a phone", () => {
  const context = { viewport: { width: 390, height: 844 }, hasTouch: true };

  test("shows the panel on the whole screen, and the page does not scroll behind it", async () => {
    const site = await s.visit({ context, body: "<div style='height: 5000px'></div>" });
    await site.run("fcWidget.init({})");
    await site.page.getByRole("button", { name: "Chat" }).tap();
    await site.panel();
    expect(await boxOf(site.page, "#fc_widget")).toEqual({ x: 0, y: 0, width: 390, height: 844 });
    expect(await site.run("getComputedStyle(document.documentElement).overflow")).toBe("hidden");
    await site.run("fcWidget.close()");
    expect(await site.run("getComputedStyle(document.documentElement).overflow")).toBe("visible");
  });

  test.each([
    ["en", "Close"],
    ["de_AT", "Schließen"],
  ])("has a cross to close the panel until the panel is loaded, named in the locale %s", async (locale, name) => {
    const site = await s.visit({ context });
    await site.page.route(/\/messenger(\?|$)/, () => undefined);
    await site.run(`fcWidget.init({ open: true, locale: "${locale}" })`);
    await site.page.getByRole("button", { name }).tap();
    expect(await site.run("fcWidget.isOpen()")).toBe(false);
  });
});

test.each(["light", "dark"] as const)("the button has no accessibility violation in a %s page", async (colorScheme) => {
  const site = await s.visit({ context: { colorScheme } });
  await site.run("fcWidget.init({ config: { eagerLoad: true } })");
  await site.inPanel("notify({ event: 'unreadCount:notify', data: { count: 3 } })");
  await site.inPanel("notify({ button: { unread: '3 unread messages' } })");
  await site.page.getByRole("button", { name: "Chat, 3 unread messages" }).waitFor();
  const violations = (await accessibilityViolations(site.page)).filter((text) => JSON.stringify(text).includes("fc_"));
  expect(violations).toEqual([]);
});
