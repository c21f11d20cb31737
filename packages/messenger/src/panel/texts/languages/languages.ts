import { messengerLanguageOf, type MessengerLanguage } from "@parley/contract/display";
import { ENGLISH_FAILURES } from "../failure-texts.ts";
import { ENGLISH, type LanguageTexts } from "../texts.ts";

/** A language as it is shown: with the region of the visitor, which decides how dates are written. */
export interface ShownLanguage extends LanguageTexts {
  readonly locale: string;
}

/** The panel contains English. Each other language is a file of its own, which is loaded when it is shown. */
const LANGUAGES: Readonly<Record<MessengerLanguage, () => LanguageTexts | Promise<LanguageTexts>>> = {
  en: () => ({ direction: "ltr", texts: ENGLISH, failures: ENGLISH_FAILURES }),
  de: async () => (await import("./german.ts")).GERMAN,
  es: async () => (await import("./spanish.ts")).SPANISH,
  fr: async () => (await import("./french.ts")).FRENCH,
  ar: async () => (await import("./arabic.ts")).ARABIC,
};

/**
 * -> the locale in which the panel is shown: that of the site, else the first language of the browser that the panel has, else English
 * @shape site: the option `locale`, unchecked; browser: by preference
 * @assumed The visitor's browser, rather than the account, decides where the site does not.
 */
export const shownLocale = (site: string | undefined, browser: readonly string[]): string => {
  const found = (site === undefined ? browser : [site]).find(messengerLanguageOf);
  const language = found === undefined ? "en" : messengerLanguageOf(found)!;
  try {
    return new Intl.Locale((found ?? language).trim().replaceAll("_", "-")).baseName;
  } catch {
    return language;
  }
};

/** -> the language of a locale of `shownLocale`; English if its file can't be loaded */
export const loadLanguage = async (locale: string): Promise<ShownLanguage> => {
  try {
    return { locale, ...(await LANGUAGES[messengerLanguageOf(locale) ?? "en"]()) };
  } catch {
    return { locale: "en", ...(await LANGUAGES.en()) };
  }
};
