import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { loaderFixture, type SitePage } from "./loader-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/** How sites include the script, insert it again, remove it and replace their pages. */

const s = fileFixture(loaderFixture);

const isOpen = (site: SitePage) => site.page.waitForFunction("window.fcWidget?.isOpen()");
const frames = "document.querySelectorAll('#fc_frame').length";
/** Inserts the script into the page. -> resolves when it has run */
const insert = (path: string, chat = false) => `new Promise((resolve) => {
  const script = document.createElement("script");
  script.id = "freshchat-js-sdk";
  script.src = "${s.service}${path}";
  if (${chat}) script.setAttribute("chat", "true");
  script.onload = resolve;
  document.head.append(script);
})`;

describe("a snippet", () => {
  test("of the first form, with init called by the page, does nothing before init", async () => {
    const site = await s.visit();
    expect(await site.run(`[typeof fcWidget.init, typeof fwcrm.on, ${frames}]`)).toEqual(["function", "function", 0]);
    expect(site.requests).toEqual([]);
  });

  test("with fcSettings and fcWidgetMessengerConfig runs onInit, then init with both", async () => {
    const settings = `window.fcSettings = { token: "A", open: true, onInit: () => { window.early = fcWidget.isInitialized(); } };
      window.fcWidgetMessengerConfig = { externalId: "c-1", restoreId: "r-1" };`;
    const site = await s.visit({ head: `<script>${settings}</script>${s.script}` });
    await isOpen(site);
    expect(await site.run("window.early")).toBe(false);
    expect(await site.inPanel("connected.options")).toMatchObject({ externalId: "c-1", restoreId: "r-1" });
    expect(await site.inPanel("calls[0]")).toEqual(["opened", { isFocused: false }]);
    expect(new URL((await site.panel()).url()).search).toBe("?alias=A&locale=en-US");
  });

  test('of the second form with chat="true" starts itself, and its numbers are the alias', async () => {
    const site = await s.visit({
      head: `<script>window.fcWidgetMessengerConfig = { open: true, token: "other" };</script><script async chat="true" src="${s.service}/12/345.js"></script>`,
    });
    await isOpen(site);
    expect(new URL((await site.panel()).url()).searchParams.get("alias")).toBe("12/345");
  });

  test.each([
    ["without the attribute chat starts itself", "", true],
    ['with chat="false" waits for init', 'chat="false"', false],
  ])("of the second form %s", async (_, attribute, isInitialized) => {
    const site = await s.visit({ head: `<script src="${s.service}/12/345.js" ${attribute}></script>` });
    expect(await site.run("[typeof fwcrm.on, fcWidget.isInitialized()]")).toEqual(["function", isInitialized]);
  });

  test("in the body, in a module, and with a host of the page that is another service, works", async () => {
    const site = await s.visit({
      head: "",
      body: `<script type="module">await import("${s.service}/js/widget.js"); fcWidget.init({ host: "https://other.example", open: true });</script><script type="text/plain" src="${s.service}/js/widget.js"></script>`,
    });
    await isOpen(site);
    expect((await site.panel()).url()).toBe(`${s.service}/messenger?locale=en-US`);
  });

  test("names the account in the address of the script", async () => {
    const site = await s.visit({ head: `<script src="${s.service}/js/widget.js?account=acme"></script>` });
    await site.run("fcWidget.init({ open: true })");
    expect(new URL((await site.panel()).url()).search).toBe("?account=acme&locale=en-US");
  });

  test.each([
    ["unknown", "This service has no account with that alias."],
    ["elsewhere-only", "The account's list of origins does not contain the origin of this page."],
  ])("with the token %s shows nothing and says in the console what to do", async (token, reason) => {
    const site = await s.visit();
    const answer = await site.run(
      `fcWidget.init({ token: "${token}", open: true }), fcWidget.user.get().catch(({ status }) => status)`,
    );
    expect([answer, await site.run("[fcWidget.isLoaded(), fcWidget.isOpen()]")]).toEqual([403, [false, false]]);
    expect(await site.page.locator("#fc_frame button").isVisible()).toBe(false);
    expect(site.complaints).toContainEqual(
      expect.stringMatching(`^\\[messenger\\] ${reason}.* Add|^\\[messenger\\] ${reason} Load`),
    );
    expect(site.complaints).toContainEqual(`[messenger] The alias of this page is ${token}.`);
  });
});

test("an alias that the account does not have is reported, and the messenger is shown", async () => {
  const site = await s.visit();
  await site.run("fcWidget.init({ token: 'stale', open: true })");
  await isOpen(site);
  expect(site.complaints).toEqual([
    "[messenger] The account acme has no alias stale. Add it under Web messenger in the administration.",
  ]);
});

describe("a page", () => {
  test("that inserts the script twice and calls init twice has one messenger", async () => {
    const site = await s.visit({ head: s.script + s.script });
    await site.run(`fcWidget.own = 1, fcWidget.init({}), fcWidget.init({}), ${insert("/js/widget.js")}`);
    expect(await site.run(`[${frames}, fcWidget.isInitialized(), fcWidget.own]`)).toEqual([1, true, 1]);
  });

  test("that mounts twice, as React's StrictMode does, has one messenger whose handlers run once", async () => {
    const site = await s.visit();
    const mount =
      "fcWidget.on('widget:opened', () => { window.opened = (window.opened ?? 0) + 1 }), fcWidget.init({ open: true })";
    await site.run(`${mount}, fcWidget.destroy(), ${mount}, undefined`);
    await isOpen(site);
    expect(await site.run(`[${frames}, window.opened]`)).toEqual([1, 1]);
  });

  test("that destroys the messenger and calls init again has a new one", async () => {
    const site = await s.visit();
    await site.run("fcWidget.init({ externalId: 'first', open: true })");
    await site.panel();
    await site.run("fcWidget.destroy(), fcWidget.init({ externalId: 'second', open: true })");
    await isOpen(site);
    expect(await site.inPanel("connected.options.externalId")).toBe("second");
  });

  test("that goes on to the next person by clear, destroy and the script again shows the new person", async () => {
    const site = await s.visit({ head: "" });
    await site.run(
      `window.fcWidgetMessengerConfig = { externalId: "first", open: true }, ${insert("/12/345.js", true)}`,
    );
    await site.panel();
    await site.run(`(async () => {
      const { data } = await fcWidget.user.isExists();
      await fcWidget.user.clear();
      const isDestroyed = new Promise((resolve) => fcWidget.on("widget:destroyed", resolve));
      fcWidget.destroy();
      await isDestroyed;
      document.querySelector("#freshchat-js-sdk").remove();
      window.fcWidgetMessengerConfig = { externalId: "second", open: true };
      await ${insert("/12/345.js", true)};
    })()`);
    await isOpen(site);
    expect(await site.inPanel("connected.options.externalId")).toBe("second");
    expect(await site.run(frames)).toBe(1);
  });

  test("that deletes window.fcWidget and inserts the script again begins anew", async () => {
    const site = await s.visit();
    await site.run(`fcWidget.init({ externalId: 'first' }), delete window.fcWidget, ${insert("/js/widget.js")}`);
    expect(await site.run(`[${frames}, fcWidget.isInitialized()]`)).toEqual([0, false]);
    await site.run("fcWidget.init({ externalId: 'second', open: true })");
    expect(await site.inPanel("connected.options.externalId")).toBe("second");
  });

  test("that has an object of its own as window.fcWidget keeps it", async () => {
    const site = await s.visit({ head: `<script>window.mine = window.fcWidget = { own: 1 };</script>${s.script}` });
    expect(await site.run("[fcWidget === mine, fcWidget.own, typeof fcWidget.init]")).toEqual([true, 1, "function"]);
  });

  test("that replaces its body keeps the panel as it is, and the class of the body", async () => {
    const site = await s.visit();
    await site.run("fcWidget.init({ open: true })");
    await site.inPanel("window.isSame = true");
    await site.run(
      "document.body.replaceWith(Object.assign(document.createElement('body'), { textContent: 'Next page' }))",
    );
    await site.page.waitForFunction("document.body.className === 'fc-widget-open'");
    expect(await site.inPanel("window.isSame")).toBe(true);
    expect(await site.run("history.length")).toBe(2);
  });

  test("that replaces its root element gets the messenger back, with a connected panel", async () => {
    const site = await s.visit();
    await site.run("fcWidget.init({ open: true })");
    await site.panel();
    await site.run("document.documentElement.replaceWith(document.documentElement.cloneNode(false))");
    await site.page.waitForFunction(`${frames} === 1`);
    expect(await site.inPanel("calls.length && calls[0][0]")).toBe("opened");
  });

  test("that removes the elements on purpose is left alone until init is called again", async () => {
    const site = await s.visit();
    await site.run("fcWidget.init({}), document.querySelector('#fc_frame').remove()");
    expect(await site.run(`new Promise((resolve) => setTimeout(() => resolve(${frames}), 50))`)).toBe(0);
    expect(await site.run(`fcWidget.init({}), ${frames}`)).toBe(1);
  });

  test("opened from a file embeds the messenger", async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-site-"));
    await writeFile(join(folder, "site.html"), `<!doctype html><title>A file</title>${s.script}`);
    const site = s.observe(await s.browser.newPage());
    await site.page.goto(pathToFileURL(join(folder, "site.html")).href);
    await site.run("fcWidget.init({ open: true })");
    await isOpen(site);
    expect(await site.inPanel("connected.origin")).toMatch(/^(?:null|file:\/\/)$/);
    expect(site.requests[0]).toContain("origin=null");
    await rm(folder, { recursive: true });
  });

  test("does not grow with each init and destroy, and each replaced body", async () => {
    const site = await s.visit();
    const session = await site.page.context().newCDPSession(site.page);
    const count = async () => {
      await session.send("HeapProfiler.collectGarbage");
      const { nodes, jsEventListeners, documents } = await session.send("Memory.getDOMCounters");
      return [nodes, jsEventListeners, documents];
    };
    const cycle = (times: number) =>
      site.run(`(async () => {
      for (let i = 0; i < ${times}; i++) {
        fcWidget.on("widget:opened", () => i);
        fcWidget.init({ open: true });
        await new Promise((resolve) => setTimeout(resolve, 30));
        document.body.replaceWith(document.createElement("body"));
        fcWidget.destroy();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })()`);
    await cycle(5);
    const [before, listeners] = await count();
    await cycle(20);
    const [after, listenersAfter] = await count();
    expect(after).toBeLessThanOrEqual(before! + 60);
    expect(listenersAfter).toBeLessThanOrEqual(listeners! + 5);
    expect(await site.run("document.adoptedStyleSheets.length")).toBe(0);
  });
});
