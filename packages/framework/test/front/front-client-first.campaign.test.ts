import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { frameOf, frontFixture, settledState, VALUES, type FrontFixture } from "./front-fixture.ts";

/** Pages whose scripts use the client immediately, in each way in which a script can be loaded. */

const USE = `<script>app.initialized().then((client) => { window.client = client; }, () => { window.isApart = true; });</script>`;
const LOADS = 50;
const PAGES = {
  "async.html": `<!doctype html><html lang="en"><head><title>A</title><script async src="{{{appclient}}}"></script>${USE}</head><body></body></html>`,
  "defer.html": `<!DOCTYPE html>\n<!-- <head> -->\n<html lang="en" data-of="a>b"><head data-x><title>B</title><script defer src='{{{appclient}}}'></script>${USE}</head><body></body></html>`,
  "last.html": `<!doctype html><html><head><title>C</title>${USE}</head><body><div id="app"></div><script src="{{{ appclient }}}"></script></body></html>`,
  "twice.html": `<html><head><title>D</title>{{{appclient}}}<script async src="https://static.example.net/assets/fresh_client.js"></script>${USE}</head><body></body></html>`,
  "old.html": `<!doctype html><script async src="https://static.example.net/widget/fresh_parent.min.js?v=3" integrity="sha256-x"></script>${USE}`,
  "none.html": `<!doctype html><html><head><title>E</title>${USE}</head><body></body></html>`,
  "older.html": `<!doctype html><head>{{{appclient}}}<script>frsh_init().then((client) => { window.client = client; }, () => { window.isApart = true; });</script></head>`,
  "spelt.html": `<!doctype html><html><head><script src="{{{appClient}}}{{{appclient}}}"></script>${USE}</head></html>`,
  "bare.html": `<script async src={{{appclient}}}></script>${USE}`,
};

let fixture: FrontFixture;
let page: Page;
const busy: Worker[] = [];
beforeAll(async () => {
  fixture = await frontFixture("front-pages", {
    files: {
      ...Object.fromEntries(Object.entries(PAGES).map(([name, html]) => [`app/${name}`, html])),
      "app/part.html": "<p>Part</p>",
    },
  });
  fixture.service.createConversation("c-1", "Sam", "Where is my order?");
  await fixture.host.install(VALUES);
  busy.push(...[1, 2].map(() => new Worker("for (;;);", { eval: true })));
  page = await (await fixture.browser.newContext()).newPage();
});
afterAll(async () => {
  await Promise.all(busy.map((worker) => worker.terminate()));
  await page.context().close();
  await fixture.close();
});

/** Returns the errors that the page's own script raised while loading. */
const failedLoads = async (file: string, loads: number): Promise<string[]> => {
  const failures: string[] = [];
  const note = ({ message }: Error) => void failures.push(message);
  page.on("pageerror", note);
  for (let load = 0; load < loads; load += 1) {
    await page.goto(`${fixture.address.replace("//", "//frame.")}app/${file}`);
    await page.waitForFunction("window.isApart === true", undefined, { timeout: 2_000 }).catch(() => undefined);
  }
  page.off("pageerror", note);
  return failures;
};

test.each(Object.keys(PAGES))(
  "%s: app is defined for the following script, in each load while the processor is busy",
  async (file) => {
    expect(await failedLoads(file, file === "async.html" ? LOADS : 5)).toEqual([]);
  },
  120_000,
);

test.each(Object.keys(PAGES))("%s: each script with an address has that of the client", async (file) => {
  await page.goto(`${fixture.address.replace("//", "//frame.")}app/${file}`);
  const addresses = await page.evaluate("[...document.querySelectorAll('script[src]')].map((one) => one.src)");
  const { origin } = new URL(page.url());
  expect(new Set(addresses as string[])).toEqual(new Set([`${origin}/front/client.js`]));
});

test("without the host's script before it, an async reference leaves app undefined", async () => {
  const served = await (await fetch(`${fixture.host.url}/app/async.html`)).text();
  const [first = ""] = /<script src="[^"]+"><\/script>/.exec(served) ?? [];
  await page.route("**/app/async.html", (route) =>
    route.fulfill({ contentType: "text/html", body: served.replace(first, "") }),
  );
  await page.route("**/front/client.js", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    await route.continue();
  });
  expect(await failedLoads("async.html", 1)).toEqual(["app is not defined"]);
  await page.unrouteAll();
});

test("a page fragment is served unchanged", async () => {
  expect(await (await fetch(`${fixture.host.url}/app/part.html`)).text()).toBe("<p>Part</p>");
});

test.each(["async.html", "twice.html", "none.html", "older.html"])(
  "%s beside a conversation gets a client that the host answers",
  async (file) => {
    const beside = await fixture.visit();
    const frame = await frameOf(beside, "index.html");
    await frame.evaluate(`void setTimeout(() => { location.href = "${file}"; })`);
    const there = await frameOf(beside, file);
    expect(await settledState(there, "client.data.get('domainName')")).toEqual(["ok", { domainName: VALUES.domain }]);
    await beside.context().close();
  },
);
