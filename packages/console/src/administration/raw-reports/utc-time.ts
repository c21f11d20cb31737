import { currentLanguage, regionalFormOf } from "../../i18n/language.ts";

const locale = regionalFormOf(currentLanguage(), navigator.languages);
const dateAndTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** A time as reports and their files name it. */
export const utcTime = (time: string): string => dateAndTime.format(new Date(time));
