import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { fillAccount, type ConsoleContent } from "../support/content.ts";
import { keyboardOf, type Keyboard } from "./focus.ts";
import { consoleHarness, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** What Tab reaches on each page, and whether it is in the window then. */

let s: ConsoleHarness;
let content: ConsoleContent;
let agent: AgentBrowser;
let page: Page;
let keys: Keyboard;

beforeAll(async () => {
  s = await consoleHarness();
  content = await fillAccount(s);
  agent = await s.visit();
  ({ page } = agent);
  keys = await keyboardOf(page);
});
afterAll(() => s.stop());

/** More than the stops of any page. */
const STOPS_MAX = 200;
/** Frames in which an element that has received the focus must be in the window. */
const FRAMES_MAX = 60;

describe("Tab reaches everything that is visible, and comes back to the beginning", () => {
  const CONTROLS =
    "a[href], button, input, select, textarea, summary, [tabindex='0'], [role=button], [role=link], [role=switch]";
  /** What other keys reach: in a row the arrow keys, Enter and X, radio buttons by arrow keys, and Escape clears a field. */
  const BY_OTHER_KEYS = "[role=row] *, [role=option], input[type=radio]:not(:checked), button[aria-label=Clear]";

  /** Marks what Tab should reach. -> how many there are */
  const markControls = () =>
    page.evaluate(
      ([controls, byOtherKeys]) => {
        const shown = [...document.querySelectorAll<HTMLElement>(controls)].filter(
          (element) =>
            element.checkVisibility({ visibilityProperty: true }) &&
            !element.matches(`:disabled, [aria-hidden=true] *, ${byOtherKeys}`),
        );
        for (const element of shown) element.dataset["stop"] = "no";
        return shown.length;
      },
      [CONTROLS, BY_OTHER_KEYS] as const,
    );
  const withStop = (value: string): Promise<readonly string[]> =>
    page
      .locator(`[data-stop=${value}]`)
      .evaluateAll((elements) => elements.map((element) => element.outerHTML.slice(0, 200)));
  /** -> whether the element that has the focus had it before. One outside of the window is marked as `hidden`. */
  const noteStop = () =>
    page.evaluate(async (framesMax) => {
      const { activeElement: stop } = document;
      if (!(stop instanceof HTMLElement) || stop === document.body) return false;
      if (["yes", "hidden"].includes(stop.dataset["stop"] ?? "")) return true;
      // Also without motion, transitions take a frame, and a thread whose rows are being measured some more.
      let isSeen = false;
      for (let frame = 0; frame < framesMax && !isSeen; frame += 1) {
        await new Promise(requestAnimationFrame);
        await Promise.all(stop.getAnimations().map(({ finished }) => finished));
        const { width, height, right, bottom, left, top } = stop.getBoundingClientRect();
        isSeen = width > 0 && height > 0 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
      }
      stop.dataset["stop"] = isSeen ? "yes" : "hidden";
      return false;
    }, FRAMES_MAX);

  test.each<[string, () => string, () => Locator]>([
    ["the inbox", () => "/inbox", () => page.getByRole("grid").getByRole("row").nth(5)],
    ["a conversation", () => `/conversations/${content.full.id}`, () => page.getByText("54, please.").last()],
    ["the customers", () => "/customers", () => page.getByText("Yuki Tanaka")],
    ["a customer", () => `/customers/${content.full.userId}`, () => page.getByRole("heading", { name: "Ada Fuller" })],
    ["the search", () => "/search?q=parcel", () => page.getByText(/\d+ results/)],
    ["the templates", () => "/templates", () => page.getByRole("button", { name: /^Delete / }).first()],
    ["the preferences", () => "/preferences", () => page.getByRole("slider")],
  ])("on %s", async (_, path, isShown) => {
    await agent.open(`/console${path()}`);
    await isShown().waitFor();
    expect(await markControls()).toBeGreaterThan(8);
    let stops = 0;
    do {
      await keys.press("Tab");
      stops += 1;
    } while (!(await noteStop()) && stops < STOPS_MAX);
    expect(stops).toBeLessThan(STOPS_MAX);
    expect(await withStop("hidden")).toEqual([]);
    expect(await withStop("no")).toEqual([]);
  });
});

test("on a busy computer, Tab leads to the beginning of a thread that is open at its end", async () => {
  await agent.open(`/console/conversations/${content.full.id}`);
  await page.getByText("54, please.").last().waitFor();
  await keys.tabTo("region", "Messages of the conversation");
  await page.evaluate(() => {
    const first = document.querySelector<HTMLElement>("a[href='https://shop.example/ada']");
    const row = first?.closest<HTMLElement>("[data-index]");
    first?.addEventListener(
      "focus",
      () => {
        // The page is busy for longer than a key press counts as the reason of a scroll, and the height of a message changes meanwhile.
        for (const end = performance.now() + 1_000; performance.now() < end;);
        if (row) row.style.paddingBottom = "3rem";
      },
      { once: true },
    );
  });
  await keys.press("Tab");
  await keys.expectFocus("link", "https://shop.example/ada");
  // The page has painted several times, and has reacted to the changed heights and positions.
  for (let frame = 0; frame < 10; frame += 1)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  await keys.expectFocus("link", "https://shop.example/ada");
});

test("the browser reported no errors", () => {
  // The customer's video is on a server that does not exist.
  expect(agent.errors.filter((error) => !error.includes("shop.example"))).toEqual([]);
});
