import { currentLanguage, type Language } from "./language.ts";

const language = currentLanguage();

/** A text, or a function from values to a text. */
type MessageTable = Readonly<Record<string, string | ((...values: never[]) => string)>>;

/** The same names with texts of another language; functions take the same values. */
type Translated<T extends MessageTable> = {
  readonly [K in keyof T]: T[K] extends (...values: infer V) => string ? (...values: V) => string : string;
};

/** -> the texts of the page's language. Each folder of the console has its own table; the compiler finds a text that a language lacks. */
export const defineMessages = <const T extends MessageTable>(
  texts: { readonly en: T } & Readonly<Record<Exclude<Language, "en">, Translated<T>>>,
): Translated<T> => texts[language] as Translated<T>;

const pluralRules = new Intl.PluralRules(language);

/** -> the form for a number; both languages of the console have these two. */
export const plural = (count: number, forms: { readonly one: string; readonly other: string }): string =>
  pluralRules.select(count) === "one" ? forms.one : forms.other;
