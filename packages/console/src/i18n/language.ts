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

/** The language with the region that the browser prefers for it: dates and times are written as people there write them. */
export const currentLocale = (): string => {
  const language = currentLanguage();
  return navigator.languages.find((name) => name.split("-")[0] === language) ?? language;
};

/** Changes the language of this browser, and loads the page again so that every text has it. */
export const changeLanguage = (language: Language): void => {
  localStorage.setItem(LANGUAGE_KEY, language);
  location.reload();
};
