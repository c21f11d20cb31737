import { beforeEach, describe, expect, test } from "@jest/globals";
import { loaderFixture, type SitePage } from "./loader-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Each method of the browser API, in Chromium, with a panel that records what it is told. */

let site: SitePage;
const s = fileFixture(loaderFixture);
beforeEach(async () => {
  await site?.page.close();
  site = await s.visit();
});

const USER = { uuid: "u-1", restoreId: "r-1", isNameGenerated: true, meta: {} };
const REPLY_OF_USER = { success: true, status: 200, data: USER };
const DONE = { success: true, status: 200, data: null };
const profile = (value: object) => ["setProfile", value];

/** Method, expression, its reply, and the call that the panel receives. */
const METHODS: readonly (readonly [call: string, reply: unknown, panelCall: unknown])[] = [
  [
    "user.setProperties({ firstName: 'Ada', plan: 'Gold' })",
    REPLY_OF_USER,
    profile({ first_name: "Ada", properties: [{ name: "plan", value: "Gold" }] }),
  ],
  ["user.update({ lastName: 'Byron' })", REPLY_OF_USER, profile({ last_name: "Byron" })],
  ["user.create({ email: 'ada@site.example' })", REPLY_OF_USER, profile({ email: "ada@site.example" })],
  ["user.create()", REPLY_OF_USER, profile({})],
  ["user.setFirstName('Ada')", REPLY_OF_USER, profile({ first_name: "Ada" })],
  ["user.setLastName({ lastName: 'Byron' })", REPLY_OF_USER, profile({ last_name: "Byron" })],
  ["user.setEmail('ada@site.example')", REPLY_OF_USER, profile({ email: "ada@site.example" })],
  ["user.setPhone('5550100')", REPLY_OF_USER, profile({ phone: "5550100" })],
  [
    "user.setMeta({ seats: 12, none: null, list: [1] })",
    REPLY_OF_USER,
    profile({
      properties: [
        { name: "seats", value: "12" },
        { name: "list", value: "[1]" },
      ],
    }),
  ],
  [
    "user.setPhone('5550100').then(() => fcWidget.user.setPhoneCountryCode('1'))",
    REPLY_OF_USER,
    profile({ phone: "+15550100" }),
  ],
  ["user.isExists()", { ...DONE, data: false }, ["getUser", null]],
  ["user.clear()", DONE, ["clearUser", null]],
  ["user.create().then(() => fcWidget.user.get())", REPLY_OF_USER, ["getUser", null]],
  ["user.create().then(() => fcWidget.user.clone())", REPLY_OF_USER, ["getUser", null]],
  ["user.create().then(() => fcWidget.user.isExists())", { ...DONE, data: true }, ["getUser", null]],
  ["user.getUUID()", { ...DONE, data: { uuid: "b-1" } }, ["getUuid", null]],
  ["user.create().then(() => fcWidget.user.getUUID())", { ...DONE, data: { uuid: "u-1" } }, ["getUuid", null]],
  ["user.create().then(() => fcWidget.user.generateUUID())", { ...DONE, data: { uuid: "u-1" } }, ["getUuid", null]],
  ["authenticate('a.b.c')", REPLY_OF_USER, ["authenticate", "a.b.c"]],
  ["setJWTAuthToken('a.b.c')", REPLY_OF_USER, ["authenticate", "a.b.c"]],
  [
    "user.setProperties({ jwtAuthToken: 'a.b.c', plan: 'Gold' })",
    REPLY_OF_USER,
    profile({ properties: [{ name: "plan", value: "Gold" }] }),
  ],
  [
    "user.setProperties({ jwtAuthToken: 'refused', plan: 'Gold' }).catch(({ status, data }) => ({ status, data }))",
    { status: 404, data: null },
    ["authenticate", "refused"],
  ],
  ["user.create().then(() => fcWidget.user.setLocale('de'))", DONE, ["setOptions", { locale: "de" }]],
  ["user.create().then(() => fcWidget.setExternalId(17))", DONE, ["identify", { externalId: "17" }]],
  [
    "user.create().then(() => fcWidget.conversation.setConversationProperties({ cf_order: 12 }))",
    DONE,
    ["setConversationProperties", { cf_order: "12" }],
  ],
];

describe("a method that replies", () => {
  test.each(METHODS)("%s answers by a promise, and tells the panel", async (call, reply, panelCall) => {
    expect(await site.run(`fcWidget.init({}), fcWidget.${call}`)).toEqual(reply);
    expect(await site.inPanel("calls.at(-1)")).toEqual(panelCall);
  });

  test.each(METHODS.filter(([call]) => !/then|catch/.test(call)))("%s answers by a callback", async (call, reply) => {
    const withCallback = call.replace(/\)$/, call.endsWith("()") ? "answer)" : ", answer)");
    expect(await site.run(`fcWidget.init({}), new Promise((answer) => fcWidget.${withCallback})`)).toEqual(reply);
  });

  test.each(METHODS.slice(0, 3))("%s before init is carried out after init, in order", async (call, reply) => {
    const [first, second] = await site.run<unknown[]>(
      `(() => { const early = fcWidget.${call}; const open = fcWidget.open({ name: "Orders" }); fcWidget.init({}); return Promise.all([early, open]); })()`,
    );
    expect([first, second]).toEqual([reply, undefined]);
    expect(await site.run("fcWidget.isOpen()")).toBe(true);
  });

  test("user.get() without a user rejects with the status 404", async () => {
    expect(
      await site.run("fcWidget.init({}), fcWidget.user.get().catch(({ success, status }) => [success, status])"),
    ).toEqual([false, 404]);
  });

  test("a rejection that the page ignores is no unhandled rejection", async () => {
    await site.run(
      "onunhandledrejection = () => { window.unhandled = true }, fcWidget.init({}), void fcWidget.user.get()",
    );
    await site.inPanel("calls.length");
    await site.run("new Promise((resolve) => setTimeout(resolve, 50))");
    expect(await site.run("window.unhandled")).toBeUndefined();
  });

  test.each([
    "user.setMeta({})",
    "user.setProperties({ firstName: null, lastName: '', meta: null })",
    "user.setEmail('no address')",
  ])("%s sets nothing: it succeeds without a user and without the panel", async (call) => {
    expect(await site.run(`fcWidget.init({}), fcWidget.${call}`)).toEqual(DONE);
    expect(await site.run("document.querySelector('#fc_widget').src")).toBe("");
  });

  test("setExternalId refuses an empty id", async () => {
    expect(await site.run("fcWidget.init({}), fcWidget.setExternalId('').catch(({ status }) => status)")).toBe(400);
    expect(site.complaints).toEqual(["[messenger] setExternalId needs the id of a customer."]);
  });

  test.each([
    "track('x')",
    "trackPage('/x', 'X')",
    "setFaqTags({ tags: ['x'], filterType: 'article' })",
    "conversation.setBotVariables({ a: 1 })",
  ])("%s is accepted without effect", async (call) => {
    await site.run(`fcWidget.init({}), void fcWidget.${call}`);
    expect([site.complaints, site.page.frames()]).toEqual([[], [site.page.mainFrame(), expect.anything()]]);
  });
});

describe("states", () => {
  test("isInitialized, isLoaded and isOpen follow init, the service's answer, open, close and destroy", async () => {
    const states = "[fcWidget.isInitialized(), fcWidget.isLoaded(), fcWidget.isOpen()]";
    expect(await site.run(states)).toEqual([false, false, false]);
    expect(await site.run(`fcWidget.init({}), ${states}`)).toEqual([true, false, false]);
    await site.page.waitForFunction("fcWidget.isLoaded()");
    expect(await site.run(`fcWidget.open(), ${states}`)).toEqual([true, true, true]);
    expect(await site.run("[document.querySelector('#fc_frame').className, document.body.className]")).toEqual([
      "fc-widget-normal fc-open",
      "fc-widget-open",
    ]);
    expect(await site.run(`fcWidget.close(), ${states}`)).toEqual([true, true, false]);
    expect(await site.run("document.body.className")).toBe("");
    expect(await site.run(`fcWidget.destroy(), ${states}`)).toEqual([false, false, false]);
    expect(await site.run("document.querySelector('#fc_frame')")).toBeNull();
  });

  test("open passes the topic and the text of the reply, also to an open panel", async () => {
    await site.run("fcWidget.init({}), fcWidget.open({ name: 'Orders', replyText: 'Hello' })");
    expect(await site.inPanel("calls.at(-1)")).toEqual([
      "opened",
      { topic: "Orders", replyText: "Hello", isFocused: true },
    ]);
    await site.run("fcWidget.open({ name: 'Returns' })");
    expect(await site.inPanel("calls.at(-1)")).toEqual(["opened", { topic: "Returns", isFocused: true }]);
  });

  test("hide removes the button, and show brings it back", async () => {
    const button = site.page.locator("#fc_frame button");
    await site.run("fcWidget.init({})");
    await button.waitFor();
    await site.run("fcWidget.hide()");
    await button.waitFor({ state: "hidden" });
    await site.run("fcWidget.show()");
    await button.waitFor();
    expect(await site.run("fcWidget.isOpen()")).toBe(false);
  });

  test("setTags and setConfig change what the panel receives", async () => {
    await site.run(
      "fcWidget.init({ config: { headerProperty: { appName: 'Shop' } } }), fcWidget.setTags(['vip']), fcWidget.setConfig({ headerProperty: { direction: 'ltr' } }), fcWidget.open()",
    );
    expect(await site.inPanel("connected.options")).toMatchObject({
      tags: ["vip"],
      config: { headerProperty: { appName: "Shop", direction: "ltr" } },
    });
    await site.run("fcWidget.setTags([])");
    expect(await site.inPanel("calls.at(-1)")).toEqual(["setOptions", { tags: [] }]);
    expect(await site.run("document.querySelector('#fc_frame').classList.contains('fc_l2r')")).toBe(true);
  });

  test("setConsent waits for the panel, and false loads it if the browser has a session", async () => {
    await site.run("fcWidget.init({}), fcWidget.setConsent(true), fcWidget.open()");
    expect(await site.inPanel("connected.options.hasConsent")).toBe(true);
    await site.run("fcWidget.setConsent(false)");
    expect(await site.inPanel("calls.at(-1)")).toEqual(["setOptions", { hasConsent: false }]);
    await site.run("fcWidget.user.create().then(() => fcWidget.destroy())");
    await site.run("fcWidget.init({}), fcWidget.setConsent(false)");
    expect(await site.inPanel("connected.options.hasConsent")).toBe(false);
  });

  test("setTags before init says what to do", async () => {
    await site.run("fcWidget.setTags(['vip'])");
    expect(site.complaints).toEqual(["[messenger] setTags has no effect before init. Pass the option tags to init."]);
  });
});

test("fwcrm identifies and sets properties without creating a user", async () => {
  await site.run(
    "fwcrm.identify('c-7', { 'First name': 'Ada', 'Last name': 'Byron', plan: 'Gold' }), fwcrm.set({ Email: 'ada@site.example' }), fwcrm.trackCustomEvent('x'), fwcrm.trackPageView(), fcWidget.init({}), fcWidget.open()",
  );
  expect(await site.inPanel("connected.options")).toMatchObject({
    externalId: "c-7",
    profile: {
      first_name: "Ada",
      last_name: "Byron",
      email: "ada@site.example",
      properties: [{ name: "plan", value: "Gold" }],
    },
  });
  expect(await site.inPanel("calls.map(([name]) => name)")).not.toContain("setProfile");
});
