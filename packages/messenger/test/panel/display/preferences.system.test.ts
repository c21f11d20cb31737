import { describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { callsOf, messageField, waitForFocus, withState } from "./sample-page-harness.ts";

describe("emojis", () => {
  const cell = (page: Page, name: string) => page.getByRole("gridcell", { name, exact: true });

  test("are chosen by the keyboard, stand at the caret, and are offered again", () =>
    withState("thread", async (page) => {
      await messageField(page).fill("Thanks!");
      await messageField(page).evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(6, 6));
      await page.getByRole("button", { name: "Insert an emoji" }).focus();
      await page.keyboard.press("Enter");
      await cell(page, "grinning face").waitFor();
      for (const key of ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "End"]) await page.keyboard.press(key);
      await waitForFocus(page, '[aria-label="slight smile"]');
      await page.keyboard.press("Enter");
      await waitForFocus(page, ".messageField");
      await page.keyboard.type(" Bye");
      expect(await messageField(page).inputValue()).toBe("Thanks🙂 Bye!");
      await page.getByRole("button", { name: "Insert an emoji" }).click();
      await page.getByRole("grid", { name: "Recently used" }).getByRole("gridcell", { name: "slight smile" }).waitFor();
      expect(await callsOf(page, "setPreferences")).toEqual([[{ recentEmojis: ["🙂"] }]]);
    }));

  test("are closed by Escape, which leaves the panel open, by a second press of the button, and by a press elsewhere", () =>
    withState("thread", async (page) => {
      const button = page.getByRole("button", { name: "Insert an emoji" });
      for (const close of [
        () => page.keyboard.press("Escape"),
        () => button.click(),
        () => messageField(page).click(),
      ]) {
        await button.click();
        await cell(page, "grinning face").waitFor();
        await close();
        await cell(page, "grinning face").waitFor({ state: "detached" });
      }
      expect(await callsOf(page, "requestClose")).toEqual([]);
    }));
});

describe("the language", () => {
  test("changes at once while the panel is open: the text in the field and the focus stay", () =>
    withState("thread", async (page) => {
      await page.keyboard.type("Where is");
      for (const [locale, name, dir] of [
        ["de-AT", "Nachricht", "ltr"],
        ["ar", "الرسالة", "rtl"],
        ["pt", "Message", "ltr"],
      ] as const) {
        await page.evaluate((wanted) => window.sample.set({ options: { locale: wanted } }), locale);
        const named = page.getByRole("textbox", { name, exact: true });
        await named.waitFor();
        await page.keyboard.type(".");
        const { lang, dir: direction } = await page.evaluate(() => ({
          lang: document.documentElement.lang,
          dir: document.documentElement.dir,
        }));
        expect([lang, direction]).toEqual([locale === "pt" ? "en" : locale, dir]);
      }
      expect(await messageField(page).inputValue()).toBe("Where is...");
    }));

  test("of arrow keys in the emojis is that of the eye in Arabic", () =>
    withState(
      "thread",
      async (page) => {
        await page.getByRole("button", { name: "إدراج رمز تعبيري" }).click();
        await waitForFocus(page, '[aria-label="grinning face"]');
        await page.keyboard.press("ArrowLeft");
        await waitForFocus(page, '[aria-label="happy face"][lang="en"]');
      },
      "ar",
    ));
});

test("the sound for replies is off until the visitor turns it on, or the site says so", () =>
  withState("home-conversations", async (page) => {
    const choice = page.getByRole("switch", { name: "Sound for new replies" });
    expect(await choice.isChecked()).toBe(false);
    await choice.check();
    expect(await callsOf(page, "setPreferences")).toEqual([[{ sound: true }]]);
    await page.evaluate(() => window.sample.set({ preferences: {}, options: { config: { sound: true } } }));
    expect(await choice.isChecked()).toBe(true);
  }));
