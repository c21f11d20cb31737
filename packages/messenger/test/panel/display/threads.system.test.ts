import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { withState } from "./sample-page-harness.ts";

const scroller = (page: Page) => page.getByRole("region", { name: "Conversation" });
const rowCount = (page: Page) => page.locator("[data-key]").count();
/** Lets the page draw what has changed. */
const drawn = (page: Page) =>
  page.evaluate(() => new Promise<void>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
const isAtEnd = (page: Page) =>
  scroller(page).evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 2);
const scrollTo = async (page: Page, top: number) => {
  await scroller(page).evaluate((element, to) => element.scrollTo(0, to), top);
  await drawn(page);
};
/** -> the first row that is visible below the upper edge, and its distance from the edge */
const topRow = (page: Page) =>
  scroller(page).evaluate((element) => {
    const edge = element.getBoundingClientRect().top;
    const row = [...element.querySelectorAll<HTMLElement>("[data-key]")].find(
      (each) => each.getBoundingClientRect().bottom > edge + 1,
    );
    return { key: row?.dataset["key"], top: Math.round((row?.getBoundingClientRect().top ?? 0) - edge) };
  });

describe("a thread of 5,000 messages", () => {
  test("has less than 100 rows in the document at every position and opens at the newest message", () =>
    withState("thread-long", async (page) => {
      await page.getByText("Message 5000.").waitFor();
      expect(await isAtEnd(page)).toBe(true);
      const height = await scroller(page).evaluate((element) => element.scrollHeight);
      for (const share of [0.9, 0.5, 0.1, 0]) {
        await scrollTo(page, height * share);
        expect(await rowCount(page)).toBeLessThan(100);
        expect((await topRow(page)).key).toBeDefined();
      }
      await page.getByText("Message 1.", { exact: false }).first().waitFor();
    }));

  test("keeps the rows in their places while the reader scrolls upwards by pages", () =>
    withState("thread-long", async (page) => {
      await scroller(page).focus();
      for (let turn = 0; turn < 12; turn += 1) {
        const before = await topRow(page);
        await scroller(page).evaluate((element) => element.scrollBy(0, -200));
        await drawn(page);
        const moved = await page.locator(`[data-key="${before.key}"]`).evaluate((row) => {
          const edge = row.closest("[role=region]")?.getBoundingClientRect().top ?? 0;
          return Math.round(row.getBoundingClientRect().top - edge);
        });
        expect(Math.abs(moved - before.top - 200)).toBeLessThanOrEqual(1);
      }
    }));
});

describe("earlier messages", () => {
  test("are asked for when the reader comes near the first message, and leave the reader's place", () =>
    withState("thread-older", async (page) => {
      await scrollTo(page, 120);
      expect(await page.evaluate(() => window.sample.calls.map(([name]) => name))).toContain("loadOlder");
      const before = await topRow(page);
      await page.evaluate(() => window.sample.prepend(50));
      await drawn(page);
      const after = await topRow(page);
      expect(after.key).toBe(before.key);
      expect(Math.abs(after.top - before.top)).toBeLessThanOrEqual(1);
    }));
});

describe("a new message", () => {
  test("is followed by a reader at the end, and read", () =>
    withState("thread", async (page) => {
      await page.evaluate(() => window.sample.receive("A new answer\n".repeat(8)));
      await drawn(page);
      expect(await isAtEnd(page)).toBe(true);
      const read = await page.evaluate(() => window.sample.calls.filter(([name]) => name === "read").length);
      expect(read).toBe(2);
    }));

  test("leaves the place of a reader who reads earlier messages, and is offered by a button", () =>
    withState("thread-long", async (page) => {
      await scrollTo(page, 10_000);
      const before = await topRow(page);
      await page.evaluate(() => window.sample.receive("A new answer"));
      await drawn(page);
      expect(await topRow(page)).toEqual(before);
      const reads = await page.evaluate(() => window.sample.calls.filter(([name]) => name === "read").length);
      await page.getByRole("button", { name: "New messages" }).click();
      await page.getByRole("article").getByText("A new answer").waitFor();
      expect(await isAtEnd(page)).toBe(true);
      expect(await page.evaluate(() => window.sample.calls.filter(([name]) => name === "read").length)).toBe(reads + 1);
    }));

  test("is added to the live region once, and earlier messages are not", () =>
    withState("thread", async (page) => {
      const log = page.getByRole("log");
      expect(await log.textContent()).toBe("");
      await page.evaluate(() => window.sample.receive("The bell is on its way"));
      await drawn(page);
      await page.evaluate(() => window.sample.set({}));
      await page.evaluate(() => window.sample.prepend(5));
      await drawn(page);
      expect(await log.textContent()).toBe("Ada: The bell is on its way");
    }));

  test("is not read by a visitor who does not see the panel", () =>
    withState("thread", async (page) => {
      await page.evaluate(() => window.sample.set({ isOpen: false }));
      const reads = await page.evaluate(() => window.sample.calls.filter(([name]) => name === "read").length);
      await page.evaluate(() => window.sample.receive("Are you there?"));
      await drawn(page);
      expect(await page.evaluate(() => window.sample.calls.filter(([name]) => name === "read").length)).toBe(reads);
    }));
});

describe("texts of others", () => {
  test("are shown as texts: no element, address or script comes from them", () =>
    withState("thread-hostile", async (page) => {
      const addresses = await page
        .locator("[data-key] :is(a, img, source, iframe, script)")
        .evaluateAll((elements) =>
          elements.map((element) => element.getAttribute("href") ?? element.getAttribute("src")),
        );
      const schemes = new Set(addresses.map((address) => new URL(address ?? "", page.url()).protocol));
      expect([...schemes]).toEqual(["mailto:", "http:", "https:"].filter((scheme) => schemes.has(scheme)));
      expect(await page.locator("[data-key] b, [data-key] script").count()).toBe(0);
      const text = (await page.locator(".panel").textContent()) ?? "";
      expect(text).toContain("<b>bold</b>");
      expect(/[\u202a-\u202e\u2066-\u2069]/.test(text)).toBe(false);
      for (const link of await page.locator("[data-key] a").all()) {
        expect(await link.getAttribute("target")).toBe("_blank");
        expect(await link.getAttribute("rel")).toContain("noopener");
      }
    }));
});

test("a picture opens large by a key, the Escape key closes it and not the panel, and the focus returns", () =>
  withState("thread", async (page) => {
    const picture = page.getByRole("button", { name: "Show larger: Picture from You" });
    await picture.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Picture from You" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Picture from You" }).waitFor({ state: "detached" });
    expect(await picture.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await page.evaluate(() => window.sample.calls.map(([name]) => name))).not.toContain("requestClose");
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => window.sample.calls.map(([name]) => name))).toContain("requestClose");
  }));
