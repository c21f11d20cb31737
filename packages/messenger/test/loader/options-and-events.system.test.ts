import { beforeEach, describe, expect, test } from "@jest/globals";
import { loaderFixture, type SitePage } from "./loader-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Each option and event of the browser API, in Chromium, with a panel that records what it is told. */

let site: SitePage;
const s = fileFixture(loaderFixture);
beforeEach(async () => {
  await site?.page.close();
  site = await s.visit();
});

/** Options of init, and what the panel receives. */
const OPTIONS: readonly (readonly [options: string, received: object])[] = [
  ["{ externalId: 17, restoreId: null }", { externalId: "17" }],
  ["{ externalId: 'c-1', restoreId: 'r-1' }", { externalId: "c-1", restoreId: "r-1" }],
  [
    "{ firstName: 'Ada', lastName: '', email: 'ada@site.example' }",
    { profile: { first_name: "Ada", email: "ada@site.example" } },
  ],
  ["{ phone: '5550100', phoneCountryCode: '+1' }", { profile: { phone: "+15550100" } }],
  [
    "{ email: 'nobody', meta: { plan: 'Gold', empty: '' } }",
    { profile: { properties: [{ name: "plan", value: "Gold" }] } },
  ],
  ["{ jwtAuthToken: 'a.b.c' }", { signedToken: "a.b.c" }],
  ["{ locale: 'de', tags: ['vip', 3] }", { locale: "de", tags: ["vip", "3"] }],
  [
    "{ config: { content: { placeholders: { reply_field: 'Ask us' } } } }",
    { config: { content: { placeholders: { reply_field: "Ask us" } } } },
  ],
  ["{ config: { agent: { hideName: true }, onClick() {} } }", { config: { agent: { hideName: true } } }],
  ["{ faqTags: {}, identifyByReferenceId: true, conversationReferenceId: 'x' }", { profile: {}, config: {} }],
];

describe("an option of init", () => {
  test.each(OPTIONS)("%s reaches the panel", async (options, received) => {
    await site.run(`fcWidget.init(${options}), fcWidget.open()`);
    expect(await site.inPanel("JSON.parse(JSON.stringify(connected.options))")).toEqual({
      ...{ profile: {}, config: {}, look: {} },
      ...received,
    });
  });

  test.each([
    ["{ token: 'A', siteId: 'B' }", "A"],
    ["{ siteId: 'B' }", "B"],
    ["{ widgetUuid: 'C' }", "C"],
  ])("%s names the account by an alias", async (options, alias) => {
    await site.run(`fcWidget.init(${options}), fcWidget.open()`);
    expect(new URL((await site.panel()).url()).searchParams.get("alias")).toBe(alias);
    expect(site.requests[0]).toContain(`alias=${alias}`);
  });

  test("open: true opens the panel, and onLoad runs", async () => {
    await site.run("fcWidget.init({ open: true, onLoad: () => { window.isLoadedNow = fcWidget.isLoaded() } })");
    expect(await site.inPanel("calls[0][0]")).toBe("opened");
    expect(await site.run("[window.isLoadedNow, fcWidget.isOpen()]")).toEqual([true, true]);
  });

  test("config.eagerLoad: true loads the panel without opening it", async () => {
    await site.run("fcWidget.init({ config: { eagerLoad: true } })");
    expect(await site.inPanel("calls")).toEqual([]);
  });

  test("config.eagerLoad: false sends nothing before the first opening", async () => {
    await site.run("fcWidget.init({ config: { eagerLoad: false } })");
    await site.page.locator("#fc_frame button").waitFor();
    expect(site.requests).toEqual([]);
    await site.page.locator("#fc_frame button").click();
    await site.panel();
    expect(site.requests).toEqual(["/messenger?locale=en-US"]);
  });

  test("config.disableEvents: true keeps events from the page", async () => {
    await site.run(
      "fcWidget.on('widget:opened', () => { window.wasTold = true }), fcWidget.init({ config: { disableEvents: true } }), fcWidget.open()",
    );
    await site.panel();
    expect(await site.run("window.wasTold")).toBeUndefined();
  });

  test("config.cssNames sets classes of the outer element", async () => {
    await site.run(
      "fcWidget.init({ config: { fullscreen: true, cssNames: { widget: 'own frame', open: 'own-open', expanded: 'own-full' } } }), fcWidget.open()",
    );
    await site.panel();
    expect(await site.run("document.querySelector('.own iframe').parentElement.className.split(' ').sort()")).toEqual([
      ..."fc-open fc-widget-fullscreen fc-widget-normal frame own own-full own-open".split(" "),
    ]);
    expect(await site.run("fcWidget.close(), document.querySelector('#fc_frame').className.split(' ').sort()")).toEqual(
      [..."fc-widget-fullscreen fc-widget-normal frame own".split(" ")],
    );
  });

  test("config.headerProperty sets the colours, the side and the name of the button, and hides it", async () => {
    await site.run(
      "fcWidget.init({ config: { headerProperty: { appName: 'Ask Shop', backgroundColor: '#005500', foregroundColor: 'rgb(255, 255, 0)', direction: 'ltr' } } })",
    );
    const button = site.page.getByRole("button", { name: "Ask Shop" });
    expect(
      await button.evaluate((element) => [getComputedStyle(element).backgroundColor, getComputedStyle(element).color]),
    ).toEqual(["rgb(0, 85, 0)", "rgb(255, 255, 0)"]);
    expect((await button.boundingBox())?.x).toBe(20);
    await site.run("fcWidget.setConfig({ headerProperty: { hideChatButton: true } })");
    await button.waitFor({ state: "hidden" });
    expect(await site.run("document.querySelector('#fc_frame').className")).toBe("fc-widget-normal fc_l2r fc_dn");
    await site.run("fcWidget.open()");
    await site.page.locator("#fc_widget").waitFor();
  });
});

describe("an account that requires signed identities", () => {
  test("has its panel loaded with the page, unless eagerLoad is false", async () => {
    await site.run("fcWidget.init({ token: 'signed' })");
    await site.panel();
    await site.page.locator("#fc_frame button").waitFor();
    await site.run("fcWidget.destroy(), fcWidget.init({ token: 'signed', config: { eagerLoad: false } })");
    await site.page.locator("#fc_frame button").waitFor();
    expect(site.requests.filter((each) => each.startsWith("/messenger?"))).toHaveLength(1);
  });

  test("can hide the messenger until the panel reports a signed visitor, also from open", async () => {
    await site.run("fcWidget.init({ token: 'strict', open: true }), fcWidget.open({ name: 'Orders' })");
    await site.inPanel("notify({ isShown: false })");
    expect(await site.page.locator("#fc_frame").isVisible()).toBe(false);
    await site.inPanel("notify({ isShown: true })");
    await site.page.locator("#fc_widget").waitFor();
    await site.inPanel("notify({ isShown: false })");
    await site.page.locator("#fc_frame").waitFor({ state: "hidden" });
    expect(await site.run("fcWidget.isOpen()")).toBe(false);
  });

  test("gives the panel the token of init once: a panel that is loaded again does not return to the person", async () => {
    await site.run("fcWidget.init({ token: 'signed', jwtAuthToken: 'a.b.c' })");
    expect(await site.inPanel("connected.options.signedToken")).toBe("a.b.c");
    const frame = await site.panel();
    await frame.goto(frame.url());
    expect(await site.inPanel("connected.options.signedToken")).toBeUndefined();
  });
});

const RESULT = { success: true, data: { a: 1 } };
const PANEL_EVENTS = [
  ...["dialog:opened", "dialog:closed", "frame:statechange", "user:statechange", "user:created", "user:cleared"],
  ...[
    "user:authenticated",
    "message:sent",
    "message:received",
    "readReceipts:update",
    "csat:received",
    "csat:updated",
    "csat:show",
  ],
  ...["conversation:resolved", "anchorLink:clicked", "download:file", "rts:connected", "rts:disconnected"],
];

describe("an event", () => {
  test.each(PANEL_EVENTS)("%s of the panel reaches the page's handlers", async (name) => {
    await site.run(
      `window.got = [], fcWidget.on("${name}", (data) => got.push(data)), fwcrm.on("${name}", (data) => got.push(data)), fcWidget.init({ open: true })`,
    );
    await site.inPanel(`notify({ event: "${name}", data: ${JSON.stringify(RESULT)} })`);
    // The script itself reports further states of the frame.
    await site.run("window.ofPanel = () => got.filter(({ data }) => data.a)");
    await site.page.waitForFunction("ofPanel().length > 1");
    expect(await site.run("ofPanel()")).toEqual([RESULT, RESULT]);
    expect(site.complaints).toEqual([]);
  });

  test("frame:statechange reports that the messenger can be opened, once, before the panel is loaded", async () => {
    const site = await s.visit();
    await site.run(
      "window.states = [], fcWidget.on('frame:statechange', ({ data }) => states.push(data.frameState)), fcWidget.init({})",
    );
    await site.page.waitForFunction("fcWidget.isLoaded()");
    expect(await site.run("[states, document.querySelector('#fc_widget').src]")).toEqual([["initialized"], ""]);
    await site.run("fcWidget.open()");
    await site.panel();
    expect(await site.run("states")).toEqual(["initialized"]);
  });

  test("unreadCount:notify reports the count, and the button shows it", async () => {
    await site.run(
      "fcWidget.on('unreadCount:notify', (data) => { window.got = data }), fcWidget.init({ config: { eagerLoad: true } })",
    );
    await site.inPanel("notify({ event: 'unreadCount:notify', data: { count: 2 } })");
    await site.inPanel("notify({ button: { open: 'Chat', unread: '2 unread messages' } })");
    await site.page.getByRole("button", { name: "Chat, 2 unread messages" }).waitFor();
    expect(await site.page.locator("#fc_frame i").textContent()).toBe("2");
    expect(await site.run("got")).toEqual({ count: 2 });
  });

  test("widget:loaded, widget:opened, widget:closed and widget:destroyed occur in their order", async () => {
    const names = ["widget:loaded", "widget:opened", "widget:closed", "widget:destroyed"];
    await site.run(
      `window.got = [], ${names.map((name) => `fcWidget.on("${name}", () => got.push("${name}"))`).join()}, fcWidget.init({ open: true })`,
    );
    await site.panel();
    await site.inPanel("notify({ request: 'close' })");
    await site.page.waitForFunction("!fcWidget.isOpen()");
    await site.run("fcWidget.destroy()");
    await site.page.waitForFunction("got.length > 3");
    expect(await site.run("got")).toEqual(names);
  });

  test.each(["push:subscribed", "faq:clicked"])("%s is accepted, and does not occur", async (name) => {
    await site.run(`fcWidget.on("${name}", () => {})`);
    expect(site.complaints).toEqual([]);
  });

  test("of an unknown name is reported in the console and harms nothing", async () => {
    await site.run("fcWidget.on('widget:lodaed', () => {}), fcWidget.on('widget:loaded'), fcWidget.init({})");
    await site.page.waitForFunction("fcWidget.isLoaded()");
    expect(site.complaints).toEqual([
      '[messenger] There is no event "widget:lodaed": its handler never runs.',
      '[messenger] on("widget:loaded", …) needs a function as its handler.',
    ]);
  });

  test.each([
    ["the function itself", "fcWidget.off('widget:opened', handler)"],
    ["another function of the same name", "fcWidget.off('widget:opened', function handler() {})"],
    ["no function", "fcWidget.off('widget:opened')"],
    ["no function, by fwcrm", "fwcrm.off('widget:opened')"],
  ])("has no handler any more after off with %s", async (_, off) => {
    await site.run(
      `window.got = 0, window.handler = function handler() { got += 1 }, fcWidget.on("widget:opened", handler), ${off}, fcWidget.init({ open: true })`,
    );
    await site.panel();
    expect(await site.run("got")).toBe(0);
  });

  test("reaches the other handlers when one fails", async () => {
    await site.run(
      "fcWidget.on('widget:opened', () => { throw new Error('first') }), fcWidget.on('widget:opened', () => { window.got = true }), fcWidget.init({ open: true })",
    );
    await site.page.waitForFunction("window.got");
    expect(site.complaints).toEqual([expect.stringContaining("first")]);
  });
});
