import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../framework/test/support/browser.ts";
import { ROOT } from "../../../../test/support/parley-process.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { answer, conversationOf } from "../support/account.ts";
import { openPanel, write } from "../support/panel.ts";
import { htmlPage } from "../support/site.ts";
import { sitesFixture, type SitesFixture } from "../support/sites-fixture.ts";

/** The snippets of docs/integrators/moving-messenger.md, as they stand there, before and after the one change that the page names. */

const GUIDE = readFileSync(join(ROOT, "docs/integrators/moving-messenger.md"), "utf8");
const blocks = [...GUIDE.matchAll(/^\*\*(.+?)\*\*[^]*?```html\n([^]*?)```/gm)];
const [, formerHost = "", newHost = ""] = /```\n(\S+) -> (\S+)\n```/.exec(GUIDE) ?? [];
const valuesOf = (pattern: RegExp) => [...GUIDE.matchAll(pattern)].map(([, value = ""]) => value);
const ALIASES = [...new Set([...valuesOf(/token: "(3\S+)"/g), ...valuesOf(/\/(\d+\/\d+)\.js" chat=/g)])];

let s: SitesFixture;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  [s, browser] = await Promise.all([
    sitesFixture({ aliases: ALIASES }),
    launchBrowser([`--host-resolver-rules=MAP ${formerHost} ~NOTFOUND`]),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await s?.close();
});

/** The host that the guide names, as the address of the running service. */
const atService = (text: string): string =>
  text.replaceAll(`https://${newHost}`, s.host).replaceAll(`//${newHost}`, s.host.replace("http:", ""));

/** Opens the page with a snippet in another browser. -> what the browser's console reported */
const openPage = async (snippet: string): Promise<readonly string[]> => {
  await page?.context().close();
  const sources = `https://${snippet.includes(formerHost) && !snippet.includes(newHost) ? formerHost : newHost}`;
  const policy = `default-src 'none'; script-src 'unsafe-inline' ${sources}; connect-src ${sources}; frame-src ${sources}; img-src data:`;
  const site = await s.serve(
    { "/": htmlPage(`<h1>Shop</h1>${atService(snippet)}`) },
    { headers: { "content-security-policy": atService(policy) } },
  );
  page = await (await browser.newContext()).newPage();
  const complaints: string[] = [];
  page.on("console", (message) => void complaints.push(message.text()));
  await page.goto(site.origin);
  return complaints;
};

/** The page has its content and no messenger. */
const expectNoMessenger = async () => {
  expect(await page.locator("h1").textContent()).toBe("Shop");
  expect(await page.evaluate("[typeof window.fcWidget, document.querySelectorAll('#fc_frame').length]")).toEqual([
    "undefined",
    0,
  ]);
};

test("the guide has four forms of snippets, the change of the host and the aliases", () => {
  expect(blocks).toHaveLength(4);
  expect(ALIASES).toEqual(["3c9e1f7a-token", "12/345"]);
  for (const [, , snippet] of blocks) expect(snippet).toContain(formerHost);
});

describe.each(blocks.map(([, title = "", snippet = ""]) => ({ title, snippet })))("$title", ({ title, snippet }) => {
  test.each([
    ["everywhere", (text: string) => text.replaceAll(formerHost, newHost)],
    [
      "in the address of the script alone",
      (text: string) => text.replaceAll(new RegExp(`${formerHost}(?=/(?:js/widget|\\d+/\\d+)\\.js)`, "g"), newHost),
    ],
  ])("works when the host is replaced %s, and is as before when the former host is put back", async (place, change) => {
    await openPage(snippet);
    await expectNoMessenger();

    const complaints = await openPage(change(snippet));
    await waitUntil(() => page.evaluate<boolean>("window.fcWidget?.isLoaded() === true"));
    const panel = await openPanel(page);
    const text = `Written after: ${title} ${place}`;
    await write(panel, text);
    const { id } = await conversationOf(s.client, text);
    await answer(s.client, id, "It works.");
    await panel.getByText("It works.", { exact: true }).waitFor();
    expect(complaints.filter((each) => each.startsWith("[messenger]"))).toEqual([]);

    await openPage(snippet);
    await expectNoMessenger();
  });
});
