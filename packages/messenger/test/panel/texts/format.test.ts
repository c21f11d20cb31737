import { expect, test } from "@jest/globals";
import { formatOf } from "../../../src/panel/texts/format.ts";
import { loadLanguage } from "../../../src/panel/texts/languages/languages.ts";

/** Browsers put different spaces and marks of direction between numbers and words. */
const plain = (text: string): string =>
  text.replaceAll(/[\u200e\u200f\u061c\u2066-\u2069]/g, "").replaceAll(/\s/g, " ");

const today = new Date();
const [year] = [today.getFullYear()];
/** Noon of a day from today. */
const noon = (days: number): string => new Date(year, today.getMonth(), today.getDate() + days, 12).toISOString();
/** A day that is neither near today nor in this year. */
const MONDAY = new Date(2029, 2, 5, 9, 0).toISOString();
const NUMBER = 1_234.5;

interface Expected {
  readonly days: readonly string[];
  readonly listDate: string;
  readonly opens: string;
  readonly sizes: readonly string[];
  readonly number: string;
}

test.each<[string, Expected]>([
  [
    "en",
    {
      days: ["yesterday", "today", "tomorrow", "Monday, March 5"],
      listDate: "Mar 5, 2029",
      opens: "We open Monday, March 5 at 9:00 AM.",
      sizes: ["12 byte", "1.5 kB", "25 MB"],
      number: "1,234.5",
    },
  ],
  [
    "en-GB",
    {
      days: ["yesterday", "today", "tomorrow", "Monday 5 March"],
      listDate: "5 Mar 2029",
      opens: "We open Monday 5 March at 09:00.",
      sizes: ["12 byte", "1.5 kB", "25 MB"],
      number: "1,234.5",
    },
  ],
  [
    "de",
    {
      days: ["gestern", "heute", "morgen", "Montag, 5. März"],
      listDate: "5. März 2029",
      opens: "Wieder erreichbar: Montag, 5. März, 09:00 Uhr.",
      sizes: ["12 Byte", "1,5 kB", "25 MB"],
      number: "1.234,5",
    },
  ],
  [
    "es",
    {
      days: ["ayer", "hoy", "mañana", "lunes, 5 de marzo"],
      listDate: "5 mar 2029",
      opens: "Volvemos a estar disponibles: lunes, 5 de marzo, 9:00.",
      sizes: ["12 B", "1,5 kB", "25 MB"],
      number: "1234,5",
    },
  ],
  [
    "fr",
    {
      days: ["hier", "aujourd’hui", "demain", "lundi 5 mars"],
      listDate: "5 mars 2029",
      opens: "Nous serons de retour lundi 5 mars à 09:00.",
      sizes: ["12 o", "1,5 ko", "25 Mo"],
      number: "1 234,5",
    },
  ],
  [
    "ar",
    {
      days: ["أمس", "اليوم", "غدًا", "الاثنين، 5 مارس"],
      listDate: "5 مارس 2029",
      opens: "نعود الاثنين، 5 مارس الساعة 9:00 ص.",
      sizes: ["12 بايت", "1.5 كيلوبايت", "25 م.ب"],
      number: "1,234.5",
    },
  ],
])("%s: days, times, sizes and numbers follow the language, with digits from 0 to 9", async (locale, expected) => {
  const format = formatOf(locale);
  const { texts } = await loadLanguage(locale);
  const found: Expected = {
    days: [noon(-1), noon(0), noon(1), MONDAY].map((time) => plain(format.day(time))),
    listDate: plain(format.listTime(MONDAY)),
    opens: plain(texts.opensAt(texts.at(format.day(MONDAY), format.timeOfDay(MONDAY)))),
    sizes: [12, 1_536, 26_214_400].map((bytes) => plain(format.size(bytes))),
    number: plain(format.number(NUMBER)),
  };
  expect(found).toEqual(expected);
});

test.each(["ar-EG", "ar-SA"])("%s: digits and years are those of the messages", (locale) => {
  const format = formatOf(locale);
  const texts = [format.listTime(MONDAY), format.dateTime(MONDAY), format.timeOfDay(MONDAY), format.size(1_536)];
  expect(texts.join(" ")).not.toMatch(/[\u0660-\u0669\u06f0-\u06f9]/);
  expect(format.listTime(MONDAY)).toContain("2029");
});
