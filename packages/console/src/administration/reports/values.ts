import { currentLanguage, regionalFormOf } from "../../i18n/language.ts";
import { exactDuration, roundDuration } from "./durations.ts";
import { numberOf, type FigureUnit } from "./figures.ts";
import { reportMessages as texts } from "./messages.ts";

/** Values have at most three decimals. */
const numbers = new Intl.NumberFormat(regionalFormOf(currentLanguage(), navigator.languages), {
  maximumFractionDigits: 3,
});

/** A number as axes and sentences show it; durations are rounded. */
export const formatNumberOf = (value: number, unit: FigureUnit): string =>
  unit === "time" ? roundDuration(value) : numbers.format(value);

/** A value without loss. @shape text: of the API, a number or `null` */
export const formatValue = (text: string, unit: FigureUnit): string => {
  const value = numberOf(text);
  if (value === null) return texts.noValue;
  return unit === "time" ? exactDuration(value) : numbers.format(value);
};
