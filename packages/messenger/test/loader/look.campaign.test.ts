import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { MessengerLook } from "@parley/contract";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "../../../framework/test/support/browser.ts";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { fieldOf, openPanel, panelOf, write } from "../support/panel.ts";
import { htmlPage } from "../support/site.ts";
import { sitesFixture, type SitesFixture } from "../support/sites-fixture.ts";

/** The look that an admin has set, on a page of a site: the button, the frame and the panel. */

let f: SitesFixture;
let browser: Browser;
beforeAll(async () => {
  [f, browser] = await Promise.all([sitesFixture(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await f?.close();
});

/** Sets a look, and opens a page whose messenger starts with the options. */
const visit = async (look: MessengerLook, options: object = {}, context: BrowserContextOptions = {}): Promise<Page> => {
  await f.configure({ look });
  const script = `<script src="${f.host}/js/widget.js?account=acme"></script>`;
  const site = await f.serve({
    "/": htmlPage(`<script>fcWidget.init(${JSON.stringify(options)})</script>`, script),
  });
  const page = await browser.newPage({ viewport: { width: 1_000, height: 800 }, reducedMotion: "reduce", ...context });
  await page.goto(site.origin);
  await page.locator("#fc_frame button").waitFor();
  return page;
};

/** Distances of an element from the edges of a window of 1,000 by 800 pixels, its size, and its colours. */
const measured = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const { left, right, bottom, width, height } = element.getBoundingClientRect();
      const { backgroundColor, color } = getComputedStyle(element);
      const { clientWidth, clientHeight } = document.documentElement;
      const distances = { left, right: clientWidth - right, bottom: clientHeight - bottom };
      return { ...distances, width, height, backgroundColor, color };
    });
const BUTTON = "#fc_frame button";

/** Findings of axe in the panel. */
const accessibilityFaultsOf = async (page: Page): Promise<string[]> => {
  const frame = page.frames().find((each) => each !== page.mainFrame());
  const { violations } = (await frame!.evaluate(
    `(() => { ${axe.source}; return axe.run(document); })()`,
  )) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
};

describe("the button", () => {
  test.each<[string, MessengerLook, object, object]>([
    ["without a look", {}, {}, { right: 20, bottom: 20, width: 56, height: 56, color: "rgb(255, 255, 255)" }],
    [
      "with every member that it shows",
      { color: "#ffd400", position: "left", bottom_px: 90, side_px: 33, button_size: "large" },
      {},
      { left: 33, bottom: 90, height: 64, backgroundColor: "rgb(255, 212, 0)", color: "rgb(0, 0, 0)" },
    ],
    ["with the small size", { button_size: "small" }, {}, { height: 48, width: 48 }],
    ["with the distance 0", { bottom_px: 0, side_px: 0 }, {}, { right: 0, bottom: 0 }],
    [
      "on a page that gives a side and colours of its own",
      { color: "#ffd400", position: "left" },
      { config: { headerProperty: { backgroundColor: "#14532d", foregroundColor: "#ffffff", direction: "rtl" } } },
      { right: 20, backgroundColor: "rgb(20, 83, 45)", color: "rgb(255, 255, 255)" },
    ],
  ])("%s", async (_, look, options, expected) => {
    const page = await visit(look, options);
    expect(await measured(page, BUTTON)).toMatchObject(expected);
    await page.close();
  });

  test("has the label in the language of the page, beside the icon, unless the page gives a label", async () => {
    const texts = { en: { button_label: "Ask the workshop" }, de: { button_label: "Werkstatt fragen" } };
    const page = await visit({ is_label_shown: true, texts }, { locale: "de" });
    await page.getByRole("button", { name: "Werkstatt fragen" }).waitFor();
    expect((await measured(page, BUTTON)).width).toBeGreaterThan(120);
    const own = await visit({ is_label_shown: true, texts }, { config: { content: { headers: { chat: "Our own" } } } });
    await own.getByRole("button", { name: "Our own" }).waitFor();
    await Promise.all([page.close(), own.close()]);
  });

  test("of a page without a request before the first opening has the look after it", async () => {
    const page = await visit({ position: "left", color: "#14532d" }, { config: { eagerLoad: false } });
    expect((await measured(page, BUTTON)).right).toBe(20);
    await openPanel(page);
    await panelOf(page).getByRole("heading", { level: 1 }).waitFor();
    await waitUntil(async () => (await measured(page, "#fc_frame")).left === 20);
    await page.close();
  });
});

describe("the panel", () => {
  test.each<[MessengerLook["panel_size"], number]>([
    ["compact", 340],
    ["normal", 384],
    ["large", 448],
  ])("of the size %s has the width %i, and is inside of the window", async (panel_size, wanted) => {
    const page = await visit({ ...(panel_size && { panel_size }), bottom_px: 100 });
    await openPanel(page);
    const { width, bottom, height } = await measured(page, "#fc_frame");
    expect([width, bottom, bottom + height <= 800]).toEqual([wanted, 100, true]);
    await page.close();
  });

  const EXTREMES = ["#ffff00", "#000000", "#ffffff", "#777777", "#ff0000"];
  test.each(
    EXTREMES.flatMap((color, index) =>
      (["light", "dark"] as const).map((colorScheme) => ({
        ...{ color, colorScheme, text_color: EXTREMES[index - 1], texts: EXTREMES[index - 1] ?? "the default colour" },
      })),
    ),
  )("in $color with texts in $texts, $colorScheme, has no finding of axe", async (row) => {
    const { color, text_color, colorScheme } = row;
    const page = await visit({ color, ...(text_color !== undefined && { text_color }) }, {}, { colorScheme });
    const panel = await openPanel(page);
    await panel.getByRole("heading", { level: 1 }).waitFor();
    expect(await accessibilityFaultsOf(page)).toEqual([]);
    await write(panel, `In ${color}`);
    await fieldOf(panel).waitFor();
    expect(await accessibilityFaultsOf(page)).toEqual([]);
    await page.close();
  });
});
