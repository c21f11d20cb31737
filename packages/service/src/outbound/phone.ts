import { parsePhoneNumberFromString } from "libphonenumber-js/min";

const E164 = /^\+[1-9]\d{6,14}$/;
/** Longer texts are no number, whatever stands in them. */
const LONGEST = 64;

/**
 * Whether the text is a number of a length that its country has, written as E.164 with its plus sign and nothing else.
 * @assumed Whether the number is assigned to anybody is not looked at: fictional ones, such as +1 555 555 0100, are for trying things out.
 */
export const isPhone = (text: string): boolean => {
  if (!E164.test(text)) return false;
  const parsed = parsePhoneNumberFromString(text, { extract: false });
  return parsed?.isPossible() === true && parsed.number === text;
};

/**
 * Reads a number as people write it. -> E.164, undefined for what is none.
 * @assumed Only a number with + or 00 is read: without its country it could be somebody else's.
 */
export const phoneOf = (text: string): string | undefined => {
  if (text.length > LONGEST) return undefined;
  const international = text.trim().replace(/^00/, "+");
  if (!international.startsWith("+")) return undefined;
  const parsed = parsePhoneNumberFromString(international, { extract: false });
  return parsed?.isPossible() ? parsed.number : undefined;
};
