import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { KEY } from "../support/fake-account.ts";
import { launchBrowser } from "../support/browser.ts";
import { hostFixture, type HostFixture } from "../support/host-fixture.ts";

let fixture: HostFixture;
let browser: Browser;
beforeAll(async () => {
  [fixture, browser] = await Promise.all([hostFixture("listener"), launchBrowser()]);
});
afterAll(() => Promise.all([fixture.close(), browser.close()]));

/** Returns axe's violations at a window width, as text, and an entry if an element is wider than the window. */
async function faults(width: number, colorScheme: "light" | "dark"): Promise<string[]> {
  const page = await browser.newPage({ viewport: { width, height: 600 }, colorScheme, bypassCSP: true });
  // The page redirects to the host name that is same-site with its frames; the examination must run on the redirected page.
  await page.goto(fixture.host.url, { waitUntil: "commit" });
  await page.waitForURL(/app-[^/]*\.localhost/);
  const { violations } = await page.evaluate<axe.AxeResults>(`(() => { ${axe.source}; return axe.run(document); })()`);
  const isWide = await page.evaluate<boolean>("document.documentElement.scrollWidth > innerWidth");
  await page.close();
  return [...violations.map(({ id, help }) => `${id}: ${help}`), ...(isWide ? ["it scrolls sideways"] : [])];
}

describe("the home page is accessible", () => {
  const looks = [
    [320, "light"],
    [1200, "dark"],
  ] as const;

  test("before the app is installed", async () => {
    for (const [width, scheme] of looks) expect(await faults(width, scheme)).toEqual([]);
  });

  test("with an installed app", async () => {
    await fixture.host.install({ domain: "acme.parley.localhost", api_key: KEY });
    for (const [width, scheme] of looks) expect(await faults(width, scheme)).toEqual([]);
  });

  test("with an error in the newest change", async () => {
    await fixture.write("server/lib/greeting.ts", "export const greeting = <script>alert(1)</script>;");
    await fixture.waitForLog(/last good version/);
    for (const [width, scheme] of looks) expect(await faults(width, scheme)).toEqual([]);
  });
});
