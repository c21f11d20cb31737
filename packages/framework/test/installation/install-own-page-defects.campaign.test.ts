import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { FrameLocator, Page } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { fixtureFolder, installFixture, type InstallFixture, type PageVisit } from "./install-fixture.ts";

/** What the installation page says of an own page, config/iparams.html, that fails or shows nothing. */

let folder: string;
let fixture: InstallFixture;
let visit: PageVisit;
let page: Page;
let own: FrameLocator;

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "parley-own-page-")), "install-own");
  await cp(fixtureFolder("install-own"), folder, { recursive: true });
  fixture = await installFixture(folder);
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  visit = await fixture.visit();
  page = visit.page;
  own = page.frameLocator("iframe[data-own]");
  await own.locator("body[data-part=loaded]").waitFor();
});
afterEach(() => visit.leave());

describe("a custom page with a defect", () => {
  const file = () => join(folder, "config/iparams.html");
  let original: string;
  beforeAll(async () => {
    original = await readFile(file(), "utf8");
  });
  afterEach(() => change(original));

  const change = async (html: string) => {
    await writeFile(file(), html);
    await waitUntil(() => fixture.host.project().ownPage === html);
  };
  const SETTLED_MS = 3_000;
  const trouble = () => page.locator("[data-trouble]");
  /** Opens the page with this content, and lets the time pass in which a page may show something. */
  const open = async (html: string) => {
    await change(html);
    await page.clock.install();
    await page.reload();
    await own.locator("#root").waitFor({ state: "attached" });
    await page.clock.runFor(SETTLED_MS);
  };

  /** Keeps every title that the notice gets. */
  const recordTitles = `if (top === window) {
    window.titles = [];
    document.addEventListener("DOMContentLoaded", () => {
      const title = document.querySelector("[data-trouble] [data-part=title]");
      new MutationObserver(() => titles.push(title.textContent)).observe(title, { childList: true });
    });
  }`;

  const SHOWS_NOTHING = "The app’s own page shows nothing.";
  const HAS_ERROR = "The app’s own page has an error.";
  test.each([
    ["shows nothing", `<div id="root"></div>`, SHOWS_NOTHING, /no script of the page has reported an error/],
    [
      "shows nothing because its script throws",
      `<div id="root"></div><script>throw new Error("No frame for me.");</script>`,
      SHOWS_NOTHING,
      /No frame for me\./,
    ],
    [
      "shows nothing because its script is missing",
      `<div id="root"></div><script defer src="./assets/gone.js"></script>`,
      SHOWS_NOTHING,
      /The script \.\/assets\/gone\.js could not be loaded\./,
    ],
    ["shows only what is hidden", `<div id="root" hidden>Text <input></div>`, SHOWS_NOTHING, /reported/],
    [
      "shows a field although a script throws",
      `<div id="root"><input></div><script>throw new Error("Not for me.");</script>`,
      HAS_ERROR,
      /Not for me\./,
    ],
  ])("that %s is named to the admin", async (_title, html, title, message) => {
    await open(html);
    await trouble().getByText(title).waitFor();
    expect(await trouble().locator("[data-part=message]").textContent()).toMatch(message);
  });

  test("that shows something late is no longer called blank", async () => {
    await open(`<div id="root"></div>`);
    await trouble().getByText(SHOWS_NOTHING).waitFor();
    await own.locator("body").evaluate("document.querySelector('#root').textContent = 'Settings'");
    await trouble().waitFor({ state: "hidden" });
  });

  test.each([
    "<p id=root>Settings</p>",
    "<input id=root>",
    "<my-form id=root style='display:block'>&nbsp;<br></my-form>",
  ])("that shows %s is not called blank", async (html) => {
    await change(html);
    await page.clock.install();
    await page.addInitScript(recordTitles);
    await page.reload();
    await own.locator("#root").waitFor({ state: "attached" });
    await page.clock.runFor(SETTLED_MS);
    // An error that is reported later than the blank page would be.
    await own.locator("body").evaluate("void Promise.reject(new Error('afterwards'))");
    await page.clock.runFor(SETTLED_MS);
    await trouble().getByText("afterwards").waitFor();
    expect(await page.evaluate("titles")).toEqual([HAS_ERROR]);
  });
});
