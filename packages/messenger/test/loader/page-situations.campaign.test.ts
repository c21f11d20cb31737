import { describe, expect, test } from "@jest/globals";
import { htmlPage, type SiteFile } from "../support/site.ts";
import { loaderFixture, type SitePage } from "./loader-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** Pages that differ from a plain one: how they load the script, and what they do to the browser's own objects. */

const s = fileFixture(loaderFixture);

const OPTIONS = { tags: ["shop", "new"], meta: { plan: "Gold" }, config: { headerProperty: { appName: "Shop" } } };
const INIT = `fcWidget.init(${JSON.stringify(OPTIONS)})`;

/** Opens the messenger by its button. Expects one panel that has received the options of the page. */
const expectMessenger = async (site: SitePage, hasOptions = true): Promise<void> => {
  await site.page.locator("#fc_frame button").click();
  const options = await site.inPanel<object>("connected.options");
  if (hasOptions)
    expect(options).toMatchObject({
      tags: OPTIONS.tags,
      profile: { properties: [{ name: "plan", value: "Gold" }] },
      config: OPTIONS.config,
    });
  expect(await site.run("document.querySelectorAll('#fc_frame').length")).toBe(1);
  // The button is at the corner of the window, and the frame has its size, whatever the page's mode.
  const { width, height } = site.page.viewportSize()!;
  const box = await site.page.locator("#fc_frame").boundingBox();
  expect(box).toMatchObject({ x: width - 404, y: height - 700, width: 384, height: 680 });
};

/** A page, its elements in place of which the script stands as `SCRIPT`, and its address as `SOURCE`. */
const filled = (text: string): string =>
  text.replaceAll("SCRIPT", s.script).replaceAll("SOURCE", `${s.service}/js/widget.js`);
const own = (text: string): string => `<script>${text}</script>`;

describe("a page that loads the script", () => {
  test.each([
    [
      "in the head with defer, and calls init when the document is ready",
      `<script defer src="SOURCE"></script>`,
      own(`addEventListener("DOMContentLoaded", () => ${INIT})`),
    ],
    [
      "in the head with async, and calls init when it is loaded",
      `<script async src="SOURCE" onload='${INIT}'></script>`,
      "",
    ],
    ["at the end of the body with defer and async", "", `<script defer async src="SOURCE" onload='${INIT}'></script>`],
    ["with document.write", own(`document.write('<script src="SOURCE"><\\/script>')`), own(INIT)],
    [
      "after its load event, as a child of the first script's parent",
      "",
      own(`addEventListener("load", () => {
      const script = Object.assign(document.createElement("script"), { src: "SOURCE", async: true, onload: () => ${INIT} });
      const first = document.getElementsByTagName("script")[0];
      first.parentNode.insertBefore(script, first);
    })`),
    ],
    [
      "twice at once, by two parts of the page",
      "",
      own(`for (const id of ["one", "two"])
      document.head.append(Object.assign(document.createElement("script"), { id, src: "SOURCE", onload: () => ${INIT} }));`),
    ],
  ])("%s, has one messenger", async (_, head, body) => {
    const site = await s.visit({ head: filled(head), body: filled(body) });
    await expectMessenger(site);
    expect(site.complaints).toEqual([]);
  });

  test("in the head, before there is a body, and starts at once", async () => {
    const script = `<script>window.fcSettings = ${JSON.stringify({ ...OPTIONS, open: true })}</script>SCRIPT`;
    const site = await s.visit({ head: filled(script) });
    await site.panel();
    expect(await site.run("[fcWidget.isOpen(), document.body.className]")).toEqual([true, "fc-widget-open"]);
    expect(site.complaints).toEqual([]);
  });
});

describe("a document", () => {
  const xml = "application/xhtml+xml";
  test.each<readonly [string, (body: string) => SiteFile]>([
    [
      "in quirks mode",
      (body) => [
        "text/html",
        `<title>Old</title><link rel=icon href="data:,"><table width=100%><tr><td>Old</table>${body}`,
      ],
    ],
    [
      "of XHTML",
      (body) => [
        xml,
        `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title><link rel="icon" href="data:,"/></head><body>${body}</body></html>`,
      ],
    ],
    [
      "with a base of another host",
      (body) => htmlPage(body, `<base href="https://elsewhere.example/deep/" target="_blank">`),
    ],
    ["written from right to left", (body) => htmlPage(`<script>document.documentElement.dir = "rtl"</script>${body}`)],
  ])("%s has the messenger at its place", async (_, page) => {
    const site = await s.visit({ page: page(filled(`SCRIPT${own(INIT)}`)) });
    await expectMessenger(site);
    expect(site.complaints).toEqual([]);
  });
});

/** What libraries of pages do to the browser's objects, before the script runs. */
const CHANGES: readonly (readonly [string, string])[] = [
  [
    "adds enumerable methods to arrays and objects",
    "Array.prototype.each = Array.prototype.extend = function () {}; Object.prototype.inherits = function () {};",
  ],
  [
    "adds toJSON to arrays, as Prototype does",
    "Array.prototype.toJSON = function () { return `[${this.join(', ')}]`; };",
  ],
  [
    "replaces methods of elements and functions",
    `Element.prototype.remove = function () { return this.parentNode.removeChild(this); };
     Function.prototype.bind = function (self) { return (...values) => this.apply(self, values); };
     Array.from = (values) => Array.prototype.slice.call(values);`,
  ],
  [
    "wraps fetch, XMLHttpRequest and the history",
    `const before = fetch; window.fetch = async (...values) => (await before(...values)).clone();
     window.XMLHttpRequest = class extends XMLHttpRequest {}; history.pushState = () => {};`,
  ],
  [
    "replaces JSON by one of its own",
    "const { parse, stringify } = JSON; window.JSON = { parse: (text) => parse(text), stringify: (value) => stringify(value) };",
  ],
  [
    "replaces Promise by a library of its own",
    `const Native = Promise; window.Promise = class extends Native { static name = "Library"; };
     for (const name of ["allSettled", "any", "try", "withResolvers"]) window.Promise[name] = undefined;`,
  ],
  [
    "has a loader of modules that refuses anonymous definitions",
    `window.define = Object.assign(() => { throw new Error("Mismatched anonymous define()"); }, { amd: {} });
     window.require = () => { throw new Error("No module"); }; window.module = { exports: {} }; window.exports = {};`,
  ],
  [
    "has names of its own for everything",
    "window.name = window.status = 'page'; var top1, init, open1, events, view, frame = 'x', panel = 1, options = 2;",
  ],
];

describe("a page that", () => {
  test.each(CHANGES)("%s, has the messenger with its options", async (_, change) => {
    const site = await s.visit({ head: `${own(change)}${s.script}`, body: own(INIT) });
    await expectMessenger(site);
    expect(await site.run("fcWidget.user.setProperties({ plan: 'Silver' }).then(({ status }) => status)")).toBe(200);
    expect(site.complaints).toEqual([]);
    await site.run("fcWidget.destroy()");
    expect(await site.run("document.querySelectorAll('#fc_frame').length")).toBe(0);
  });

  test("has a fetch that refuses every request shows the messenger, and says what is wrong", async () => {
    const refuse = "window.fetch = () => Promise.reject(new TypeError('refused'));";
    const site = await s.visit({ head: `${own(refuse)}${s.script}`, body: own(INIT) });
    await expectMessenger(site);
    expect(site.complaints).toEqual([expect.stringContaining("can't be reached")]);
  });
});

describe("a page whose", () => {
  /** Pages guard the object, as they are advised to. */
  const GUARDED = own(`window.fcWidget?.init({});
    if (window.fcWidget) fcWidget.on("widget:loaded", () => {});
    document.title = "runs on";`);
  const blocked = { before: "addEventListener('error', ({ error }) => error && (window.thrown = error.message));" };

  test.each([
    ["script fails to load", {}],
    ["content policy blocks the script", { "content-security-policy": "script-src 'unsafe-inline'" }],
  ])("%s runs on without the messenger", async (_, headers) => {
    const script = s.script.replace(s.service, "headers" in headers ? s.service : "http://127.0.0.1:1");
    const head = "content-security-policy" in headers ? s.script : script;
    const site = await s.visit({ ...blocked, head, body: GUARDED, headers });
    expect(await site.run("[document.title, typeof window.fcWidget, window.thrown]")).toEqual([
      "runs on",
      "undefined",
      undefined,
    ]);
    expect(site.complaints.filter((each) => each.startsWith("[messenger]"))).toEqual([]);
  });

  test("content policy blocks the panel runs on, and the messenger can be closed", async () => {
    const headers = { "content-security-policy": `script-src 'unsafe-inline' ${s.service}; frame-src 'none'` };
    const site = await s.visit({ ...blocked, body: GUARDED, headers });
    await site.page.getByRole("button", { name: "Chat" }).click();
    await site.page.getByRole("button", { name: "Close" }).click();
    expect(await site.run("[document.title, fcWidget.isOpen(), window.thrown]")).toEqual(["runs on", false, undefined]);
  });

  test("frame is sandboxed has the messenger, when the sandbox allows the same origin", async () => {
    const inner = await s.visit({ body: own(INIT) });
    const site = await s.visit({
      head: "",
      body: `<iframe sandbox="allow-scripts allow-same-origin" width="800" height="750" src="${inner.page.url()}"></iframe>`,
    });
    await site.page.frameLocator("iframe").locator("#fc_frame button").click();
    expect(await site.inPanel("calls[0][0]")).toBe("opened");
    expect(site.complaints).toEqual([]);
  });
});
