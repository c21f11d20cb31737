import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../../framework/test/support/browser.ts";
import { openPanel, write } from "../support/panel.ts";
import { htmlPage } from "../support/site.ts";
import { sitesFixture, type SitesFixture } from "../support/sites-fixture.ts";

/** The memory of a page whose visits replace the body, and run the script of the messenger again. */

const VISITS = 200;
/** Libraries keep snapshots of the latest pages. */
const WARM_UP_VISITS = 30;
/** @units bytes */
const GROWTH_MAX = 1_000_000;

let s: SitesFixture;
let browser: Browser;
const bundles: Record<string, string> = {};

beforeAll(async () => {
  [s, browser] = await Promise.all([sitesFixture({ aliases: ["12/345"] }), launchBrowser()]);
  const bundle = await s.install("turbo");
  for (const entry of ["turbo.js", "turbolinks.js"]) bundles[entry] = await bundle(entry);
});
afterAll(async () => {
  await browser?.close();
  await s?.close();
});

/** Visits the two pages of a site in turn. @shape load: name of the library's event, whose function has the name of the global object */
const visits = (library: string, load: string, count: number) => `(async () => {
  for (let i = 0; i < ${count}; i++)
    await new Promise((resolve) => {
      document.addEventListener("${load}", resolve, { once: true });
      ${library}.visit(i % 2 === 0 ? "/next" : "/");
    });
})()`;

interface Growth {
  /** @units bytes */
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
}

/** -> by how much the page has grown after the visits */
const growthOf = async (library: string, load: string, embed: string): Promise<Growth> => {
  const entry = `${library.toLowerCase()}.js`;
  const head = `<script src="/${entry}" defer></script>`;
  const site = await s.serve({
    "/": htmlPage(`<h1>First page</h1>${embed}`, head),
    "/next": htmlPage(`<h1>Next page</h1>${embed}`, head),
    [`/${entry}`]: ["text/javascript", bundles[entry] ?? ""],
  });
  const page = await (await browser.newContext()).newPage();
  await page.goto(site.origin);
  const hasMessenger = embed.includes(s.host);
  if (hasMessenger) {
    await write(await openPanel(page), `Before ${library}`);
    await page.evaluate("fcWidget.close()");
  }
  const session = await page.context().newCDPSession(page);
  const measure = async (): Promise<Growth> => {
    // Finalizers run between two collections.
    for (let i = 0; i < 3; i++) await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
    return { heap: usedSize, nodes, listeners: jsEventListeners };
  };
  await page.evaluate(visits(library, load, WARM_UP_VISITS));
  const before = await measure();
  await page.evaluate(visits(library, load, VISITS));
  const after = await measure();
  if (hasMessenger) {
    expect(await page.evaluate("[document.querySelectorAll('#fc_frame').length, fcWidget.isInitialized()]")).toEqual([
      1,
      true,
    ]);
    expect(await page.evaluate("performance.getEntriesByType('navigation').length")).toBe(1);
  }
  await page.context().close();
  return {
    heap: after.heap - before.heap,
    nodes: after.nodes - before.nodes,
    listeners: after.listeners - before.listeners,
  };
};

test.each([
  ["Turbo", "turbo:load"],
  ["Turbolinks", "turbolinks:load"],
])(
  "a page with %s grows by less than 1 MB more with the messenger than without it in 200 visits",
  async (library, load) => {
    const without = await growthOf(library, load, "");
    const growth = await growthOf(library, load, `<script src="${s.host}/12/345.js" chat="true"></script>`);
    expect(growth.heap - without.heap).toBeLessThan(GROWTH_MAX);
    expect(growth.nodes - without.nodes).toBeLessThan(VISITS / 2);
    expect(growth.listeners - without.listeners).toBeLessThan(VISITS / 2);
  },
);

test("the measurement finds a page that keeps its former bodies and 8 kB for each visit", async () => {
  const keep = "(window.kept ??= []).push(document.body, Array.from({ length: 1_000 }, Math.random))";
  const growth = await growthOf("Turbolinks", "turbolinks:load", `<script>${keep}</script>`);
  expect(growth.heap).toBeGreaterThan(GROWTH_MAX);
  expect(growth.nodes).toBeGreaterThan(VISITS);
});
