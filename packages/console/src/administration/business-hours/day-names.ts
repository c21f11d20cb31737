import { currentLanguage } from "../../i18n/language.ts";
import { DAYS, type Weekday } from "./hours-values.ts";

const weekday = new Intl.DateTimeFormat(currentLanguage(), { weekday: "long", timeZone: "UTC" });
const date = new Intl.DateTimeFormat(currentLanguage(), { dateStyle: "full", timeZone: "UTC" });

/** A Monday. */
const MONDAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

export const dayName = (day: Weekday): string => weekday.format(MONDAY + DAYS.indexOf(day) * DAY_MS);

/** @shape day: YYYY-MM-DD */
export const holidayName = (day: string): string => date.format(new Date(`${day}T00:00:00.000Z`));
