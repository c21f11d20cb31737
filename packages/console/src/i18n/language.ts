/** Languages of the console. The first one is the default. */
export const LANGUAGES = ["en", "de"] as const;
export type Language = (typeof LANGUAGES)[number];

/** Names of the languages, each in itself. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", de: "Deutsch" };

const LANGUAGE_KEY = "parley-language";

const isLanguage = (text: string): text is Language => LANGUAGES.some((language) => language === text);

const storedLanguage = (): string => {
  try {
    return localStorage.getItem(LANGUAGE_KEY) ?? "";
  } catch {
    return "";
  }
};

/** The language that the agent chose in this browser, else the first one that the browser prefers and the console has. */
export const currentLanguage = (): Language => {
  const chosen = storedLanguage();
  if (isLanguage(chosen)) return chosen;
  return navigator.languages.map((name) => name.slice(0, 2)).find(isLanguage) ?? LANGUAGES[0];
};

/** Browsers report names that are invalid by the standard, such as `en-US@posix`. */
const isValid = (name: string): boolean => {
  try {
    return Intl.getCanonicalLocales(name).length > 0;
  } catch {
    return false;
  }
};

/**
 * The form in which the browser's owner writes numbers and times in a language, such as `en-GB`. Texts are the same in all forms of a language.
 * @shape languages: those that the browser prefers
 */
export const regionalFormOf = (language: Language, languages: readonly string[]): string =>
  languages.find((name) => name.startsWith(`${language}-`) && isValid(name)) ?? language;

/** Changes the language of this browser, and loads the page again so that every text has it. */
export const changeLanguage = (language: Language): void => {
  localStorage.setItem(LANGUAGE_KEY, language);
  location.reload();
};
