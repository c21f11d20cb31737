import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { MESSENGER_LANGUAGES } from "@parley/contract";
import type { BrowserContextOptions } from "playwright-core";
import { launchBrowser } from "../../../../framework/test/support/browser.ts";
import { accessibilityFaults, DESK, PHONE, visitSamplePage } from "./sample-page-harness.ts";
import { SAMPLE_STATES } from "./sample-states.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Folder for screenshots, if set. */
const SCREENSHOT_FOLDER = process.env["PANEL_PICTURES"];
const NARROW: BrowserContextOptions = { viewport: { width: 320, height: 640 } };
const LOOKS = [
  ["narrow, light", { ...NARROW, colorScheme: "light" }],
  ["wide, dark", { ...DESK, colorScheme: "dark" }],
  ["phone, dark", { ...PHONE, colorScheme: "dark" }],
  ["wide, light", { ...DESK, colorScheme: "light" }],
] as const;

const browser = fileFixture(launchBrowser);

/** English is the language of the other tests. Each state in each language has one look; with screenshots, all. */
const rows = MESSENGER_LANGUAGES.filter((language) => language !== "en").flatMap((language, turn) =>
  Object.keys(SAMPLE_STATES).flatMap((state, index) =>
    LOOKS.filter((_, look) => SCREENSHOT_FOLDER !== undefined || look === (index + turn) % LOOKS.length).map(
      ([look, options]) => ({ language, state, look, options }),
    ),
  ),
);

test.each(rows)(
  "$language: the state $state has no finding of axe, and nothing wider than the panel: $look",
  async (row) => {
    const { page, faults, close } = await visitSamplePage(browser, row.state, row.options, row.language);
    if (SCREENSHOT_FOLDER !== undefined) {
      mkdirSync(SCREENSHOT_FOLDER, { recursive: true });
      const name = `${row.language} ${row.state} ${row.look}.png`.replaceAll(/[ ,]+/g, "-");
      await page.screenshot({ path: join(SCREENSHOT_FOLDER, name) });
    }
    expect(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])).toEqual([
      row.language,
      row.language === "ar" ? "rtl" : "ltr",
    ]);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
);

test.each(["en", "de", "ar"])("%s: the open emojis have no finding of axe", async (language) => {
  const { page, faults, close } = await visitSamplePage(browser, "thread", NARROW, language);
  await page.locator(".emojiArea button").click();
  await page.getByRole("gridcell").first().waitFor();
  if (SCREENSHOT_FOLDER !== undefined)
    await page.screenshot({ path: join(SCREENSHOT_FOLDER, `${language}-emojis.png`) });
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
