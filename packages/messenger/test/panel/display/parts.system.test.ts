import { describe, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { loadLanguage } from "../../../src/panel/texts/languages/languages.ts";
import { callsOf, withState } from "./sample-page-harness.ts";

/** What a visitor does with the parts of messages, beside pressing a choice. */

const MESSAGE_ID = expect.stringMatching(/^m\d+$/);

describe("a carousel", () => {
  const cards = (page: Page) => page.getByRole("list", { name: "Our bicycles" });
  /** Distance of the first card's start from the start of the list. @units pixels */
  const distance = (page: Page) =>
    cards(page).evaluate((list) => {
      const [own, whole] = [list.firstElementChild ?? list, list].map((each) => each.getBoundingClientRect());
      const isRightToLeft = getComputedStyle(list).direction === "rtl";
      return Math.round(
        isRightToLeft ? (whole?.right ?? 0) - (own?.right ?? 0) : (own?.left ?? 0) - (whole?.left ?? 0),
      );
    });

  test.each([
    ["thread-enablers", "en", "ltr"],
    ["thread-enablers-rtl", "ar", "rtl"],
  ])(
    "is a list whose cards have numbers, and its buttons move it to both ends: %s",
    async (state, language, direction) => {
      const { texts } = await loadLanguage(language);
      await withState(state, async (page) => {
        await page.emulateMedia({ reducedMotion: "reduce" });
        expect(await cards(page).evaluate((list) => getComputedStyle(list).direction)).toBe(direction);
        expect(
          await cards(page)
            .getByRole("listitem", { name: texts.cardOf("2", "3") })
            .count(),
        ).toBe(1);
        const next = page.getByRole("button", { name: texts.nextCards });
        const previous = page.getByRole("button", { name: texts.previousCards });
        const isDone = (button: Locator) =>
          waitUntil(async () => (await button.getAttribute("aria-disabled")) === "true");
        await isDone(previous);
        expect(await distance(page)).toBeLessThan(10);
        await next.click();
        await isDone(next);
        expect(await distance(page)).toBeLessThan(-100);
        await previous.click();
        await isDone(previous);
        expect(await distance(page)).toBeLessThan(10);
      });
    },
  );

  test("is scrolled by keys, and a card that gets the focus is scrolled to", () =>
    withState("thread-enablers", async (page) => {
      await page.emulateMedia({ reducedMotion: "reduce" });
      const position = () => cards(page).evaluate((list) => list.scrollLeft);
      await cards(page).focus();
      await page.keyboard.press("ArrowRight");
      await page.waitForFunction(() => (document.querySelector(".cards")?.scrollLeft ?? 0) > 0);
      await page.getByRole("button", { name: "Choose Cargo" }).focus();
      await page.waitForFunction(() => (document.querySelector(".cards")?.scrollLeft ?? 0) > 100);
      expect(await position()).toBeGreaterThan(100);
    }));

  test("sends the payload of the button, and cards whose buttons have one name are told apart by their titles", () =>
    withState("thread-cards", async (page) => {
      const button = page.getByRole("listitem", { name: "2 of 2" }).getByRole("button", { name: "Buy" });
      const description = await button.evaluate(
        (element) => document.getElementById(element.getAttribute("aria-describedby") ?? "")?.textContent,
      );
      expect(description).toBe("Cargo");
      await button.click();
      const message = { parts: [{ text: { content: "Cargo: Buy" } }], inReplyTo: MESSAGE_ID, payload: "Cargo" };
      expect(await callsOf(page, "send")).toEqual([["c1", message]]);
    }));
});

describe("inputs of imported messages", () => {
  test("a text is asked for by a labelled field, whose text answers the message", () =>
    withState("thread-parts", async (page) => {
      await page.getByRole("textbox", { name: "Your order number" }).fill("4711");
      await page.keyboard.press("Enter");
      const message = { parts: [{ text: { content: "4711" } }], inReplyTo: MESSAGE_ID };
      expect(await callsOf(page, "send")).toEqual([["c1", message]]);
      await page.getByRole("textbox", { name: "Your order number" }).waitFor({ state: "detached" });
      await page.getByText("Your order number").waitFor();
    }));

  test("a file is asked for by a button that opens the choice of files, and the file answers the message", () =>
    withState("thread-parts", async (page) => {
      const button = page.getByRole("button", { name: "Choose a file" }).last();
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), button.click()]);
      await chooser.setFiles({ name: "damage.png", mimeType: "image/png", buffer: Buffer.from("x") });
      expect(await callsOf(page, "attach")).toEqual([["c1", ["damage.png"], MESSAGE_ID]]);
    }));

  test("a reference links to its address", () =>
    withState("thread-parts", async (page) => {
      const link = page.getByRole("link", { name: "How to return a bicycle" });
      expect(await link.getAttribute("href")).toBe("https://help.acme.example/returns");
      expect(await page.getByRole("link", { name: "A note without an address" }).count()).toBe(0);
    }));
});

describe("the message that is answered", () => {
  test("is quoted in one line, and a press shows it and gives it the focus", () =>
    withState("thread-answers", async (page) => {
      await page.getByRole("button", { name: /^Answer to Ada.*I am sorry/ }).waitFor();
      await page.getByRole("button", { name: /^Answer to You.*Hello, where is my order 4711/ }).click();
      await page.waitForFunction(() =>
        document.activeElement?.textContent?.includes("It should have arrived on Tuesday"),
      );
      const visible = await page
        .getByRole("article")
        .filter({ hasText: "It should have arrived on Tuesday" })
        .first()
        .evaluate((row) => row.getBoundingClientRect().top >= 0 && row === document.activeElement);
      expect(visible).toBe(true);
    }));

  test("is shown from among 5,000 messages", () =>
    withState("thread-long", async (page) => {
      await page.evaluate(() => {
        const [, second] = window.sample.state().threads.get("c1")?.messages ?? [];
        window.sample.receive("About that", { in_reply_to: { message_id: second?.id ?? "" } });
      });
      await page.getByRole("button", { name: /Message 2\./ }).click();
      await page.waitForFunction(() => document.activeElement?.textContent?.includes("Message 2."));
      const box = await page.getByText("Message 2.", { exact: false }).first().boundingBox();
      expect(box?.y).toBeGreaterThan(0);
      expect(box?.y).toBeLessThan(400);
    }));
});
