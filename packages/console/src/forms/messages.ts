import { formatNumber } from "../i18n/format.ts";
import { defineMessages } from "../i18n/messages.ts";

/** Why a value is refused, where a form has no words of its own. */
export const formMessages = defineMessages({
  en: {
    missing: "Enter a text.",
    tooLong: (max: number) => `The text can have ${formatNumber(max)} characters.`,
    tooMany: (max: number) => `The list can have ${formatNumber(max)} entries.`,
  },
  de: {
    missing: "Geben Sie einen Text ein.",
    tooLong: (max) => `Der Text kann ${formatNumber(max)} Zeichen haben.`,
    tooMany: (max) => `Die Liste kann ${formatNumber(max)} Einträge haben.`,
  },
});
