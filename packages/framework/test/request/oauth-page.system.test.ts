import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../support/browser.ts";
import { INTEGRATION, oauthFixture, type OAuthFixture } from "./oauth-fixture.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let fixture: OAuthFixture;
let browser: Browser;
beforeAll(async () => {
  [fixture, browser] = await Promise.all([
    oauthFixture({
      provider: {
        ...INTEGRATION,
        authorize_url: "https://<%= oauth_iparams.shop %>.provider.example/authorize",
        oauth_iparams: {
          shop: { display_name: "Shop name", description: "As in its address", type: "text", required: true },
          region: { display_name: "Region", type: "dropdown", options: ["US", "EU"] },
        },
      },
      broken: { ...INTEGRATION, client_id: "" },
    }),
    launchBrowser(),
  ]);
});
afterAll(async () => {
  await browser.close();
  await fixture.close();
});

const faults = async (page: Page) => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: { id: string }[] }>("axe.run()");
  return violations.map(({ id }) => id);
};

test.each([
  ["light", 1000],
  ["dark", 320],
] as const)(
  "a person enters the required values, authorizes the app, and returns (%s, %i px)",
  async (colorScheme, width) => {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 640 }, bypassCSP: true });
    const page = await context.newPage();
    const at = (path: string) => `${fixture.host.url}${path}`;
    await page.goto(at("/oauth/broken/authorize"));
    await page.getByRole("heading", { name: "Not authorised" }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.goto(at("/oauth/provider/authorize"));
    expect(await faults(page)).toEqual([]);
    await page.getByLabel("Shop name").fill("shop");
    await page.getByLabel("Region").selectOption("EU");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Provider is authorised" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/auth/callback");
    expect(await faults(page)).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    await context.close();
  },
  60_000,
);
