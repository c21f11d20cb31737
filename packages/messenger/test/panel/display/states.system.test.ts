import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { BrowserContextOptions } from "playwright-core";
import { launchBrowser } from "../../../../framework/test/support/browser.ts";
import { accessibilityFaults, DESK, PHONE, visitSamplePage } from "./sample-page-harness.ts";
import { SAMPLE_STATES } from "./sample-states.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

/** Folder for screenshots of every state, if set. */
const SCREENSHOT_FOLDER = process.env["PANEL_PICTURES"];

const LOOKS: readonly (readonly [look: string, options: BrowserContextOptions])[] = [
  ["phone, light", { ...PHONE, colorScheme: "light" }],
  ["phone, dark", { ...PHONE, colorScheme: "dark" }],
  ["frame, light", { ...DESK, colorScheme: "light" }],
  ["frame, dark", { ...DESK, colorScheme: "dark" }],
  // 400 by 640 pixels with letters of twice the size.
  ["twice the size", { viewport: { width: 200, height: 320 }, deviceScaleFactor: 2 }],
  ["forced colours", { ...DESK, forcedColors: "active" }],
];

const browser = fileFixture(launchBrowser);

/** Each state in two looks, which alternate; with screenshots, in all of them. */
const LOOKS_PER_STATE = SCREENSHOT_FOLDER ? LOOKS.length : 2;

const rows = Object.keys(SAMPLE_STATES).flatMap((state, index) =>
  LOOKS.flatMap(([look, options], turn) =>
    ((turn - index + LOOKS.length * 100) % LOOKS.length) % (LOOKS.length / LOOKS_PER_STATE) === 0
      ? [{ state, look, options }]
      : [],
  ),
);

test.each(rows)("the panel in the state $state has no finding of axe and breaks no policy: $look", async (row) => {
  const { page, faults, close } = await visitSamplePage(browser, row.state, row.options);
  if (SCREENSHOT_FOLDER) {
    mkdirSync(SCREENSHOT_FOLDER, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOT_FOLDER, `${row.state} ${row.look}.png`.replaceAll(/[ ,]+/g, "-")) });
  }
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});
