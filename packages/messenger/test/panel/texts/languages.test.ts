import { describe, expect, test } from "@jest/globals";
import { MESSENGER_BUTTON_TEXTS, MESSENGER_LANGUAGES } from "@parley/contract";
import { failureTextOf } from "../../../src/panel/elements/display.ts";
import { VisitorFailure } from "../../../src/panel/model/api/failure.ts";
import { ENGLISH_FAILURES } from "../../../src/panel/texts/failure-texts.ts";
import { formatOf } from "../../../src/panel/texts/format.ts";
import { loadLanguage, shownLocale } from "../../../src/panel/texts/languages/languages.ts";
import { ENGLISH } from "../../../src/panel/texts/texts.ts";

/** Texts that are the same in English and another language. */
const SAME = ["Chat", "Emojis", "Video", "No", "Message", "Conversation", "Image"];

type AnyText = string | ((...values: readonly never[]) => string);

/** -> the text, with a marked value for each of its values */
const filled = (text: AnyText): readonly [text: string, values: readonly string[]] => {
  if (typeof text === "string") return [text, []];
  const values = Array.from({ length: text.length }, (_, index) => `«${index}»`);
  return [(text as (...all: readonly string[]) => string)(...values), values];
};

describe.each(MESSENGER_LANGUAGES)("the language %s", (language) => {
  test("has every text and failure, uses each value once, and leaves nothing in English", async () => {
    const { texts, failures } = await loadLanguage(language);
    expect(Object.keys(texts)).toEqual(Object.keys(ENGLISH));
    expect(Object.keys(failures)).toEqual(Object.keys(ENGLISH_FAILURES));
    for (const [name, text] of Object.entries({ ...texts, ...failures }) as [keyof typeof ENGLISH, AnyText][]) {
      const [shown, values] = filled(text);
      expect([name, shown.trim()]).toEqual([name, expect.stringMatching(/^.+$/)]);
      expect([name, shown.match(/«\d»/g) ?? []]).toEqual([name, values]);
      const english = filled({ ...ENGLISH, ...ENGLISH_FAILURES }[name]);
      const isName = name === "by" || SAME.includes(shown);
      expect([name, language === "en" || isName || shown !== english[0]]).toEqual([name, true]);
    }
    expect(texts.title("")).not.toContain("undefined");
  });

  test("the field for the message is the only label with its name, so that it is found by a part of its label", async () => {
    const { texts } = await loadLanguage(language);
    const labels = [texts.send, texts.attach, texts.emoji, texts.close, texts.back, texts.sound, texts.newest];
    const name = texts.message.toLowerCase();
    expect(labels.filter((label) => label.toLowerCase().includes(name))).toEqual([]);
  });

  test("the button of the page has texts", () => {
    const { open, close } = MESSENGER_BUTTON_TEXTS[language];
    expect([open, close]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
  });
});

test.each([
  ["de", [], "de"],
  ["DE", [], "de"],
  ["de-AT", [], "de-AT"],
  ["de_at", [], "de-AT"],
  ["ar-u-nu-arab", [], "ar"],
  ["he", ["de"], "en"],
  ["not a locale!", ["de"], "en"],
  ["", ["de"], "en"],
  ["de_DE.UTF-8", [], "de"],
  [undefined, ["pt-BR", "fr-CA", "de"], "fr-CA"],
  [undefined, ["pt-BR"], "en"],
  [undefined, [], "en"],
] as const)("the site's locale %j and the browser's languages %j show %s", (site, browser, shown) => {
  expect(shownLocale(site, browser)).toBe(shown);
});

test("a locale that browsers don't know is shown in its language", async () => {
  const { locale, texts, direction } = await loadLanguage(shownLocale("de_DE.UTF-8", []));
  expect([locale, direction, texts.send]).toEqual(["de", "ltr", "Senden"]);
  expect((await loadLanguage("ar")).direction).toBe("rtl");
});

test.each([
  ["en", ["0 unread messages", "1 unread message", "2 unread messages"]],
  ["de", ["0 ungelesene Nachrichten", "1 ungelesene Nachricht", "2 ungelesene Nachrichten"]],
  ["es", ["0 mensajes sin leer", "1 mensaje sin leer", "2 mensajes sin leer"]],
  ["fr", ["0 message non lu", "1 message non lu", "2 messages non lus"]],
  ["ar", ["لا رسائل غير مقروءة", "رسالة واحدة غير مقروءة", "رسالتان غير مقروءتين"]],
])("%s: the numbers 0, 1 and 2 have their plural forms", async (language, expected) => {
  const { texts } = await loadLanguage(language);
  expect([0, 1, 2].map(texts.unreadMessages)).toEqual(expected);
});

test("ar: few, many and other have forms of their own", async () => {
  const { texts } = await loadLanguage("ar");
  expect([3, 10, 11, 99, 100, 103].map(texts.stars)).toEqual([
    "3 نجوم من 5",
    "10 نجوم من 5",
    "11 نجمة من 5",
    "99 نجمة من 5",
    "100 نجمة من 5",
    "103 نجوم من 5",
  ]);
});

test("a failure has the text of the language, with the limit in its units; unknown causes have a text too", async () => {
  const { failures, locale } = await loadLanguage("fr");
  const textOf = failureTextOf(failures, formatOf(locale), 26_214_400);
  expect(textOf("fileTooLarge").replaceAll(/\s/g, " ")).toBe(
    "Le fichier dépasse 25 Mo. Choisissez un fichier plus petit.",
  );
  expect(textOf(new VisitorFailure("busy"))).toBe(failures.busy);
  for (const cause of ["The file is empty.", new TypeError("x"), undefined, "toString"])
    expect(textOf(cause)).toBe(failures.notDone);
});
