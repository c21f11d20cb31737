import { parsePhoneNumberFromString } from "libphonenumber-js/min";

const E164 = /^\+[1-9]\d{6,14}$/;
/** Maximum length of a parsed text. @units characters */
const PHONE_TEXT_LENGTH_MAX = 64;

/**
 * Whether a text is an E.164 number with plus sign, of a valid length for its country.
 * @assumed Numbers need not be assigned: fictional numbers, such as +1 555 555 0100, are accepted for testing.
 */
export const isPhone = (text: string): boolean => {
  if (!E164.test(text)) return false;
  const parsed = parsePhoneNumberFromString(text, { extract: false });
  return parsed?.isPossible() === true && parsed.number === text;
};

/**
 * Parses a number in common notation. -> E.164; undefined if invalid
 * @assumed Only a number with + or 00 is read: without its country it could be somebody else's.
 */
export const phoneOf = (text: string): string | undefined => {
  if (text.length > PHONE_TEXT_LENGTH_MAX) return undefined;
  const international = text.trim().replace(/^00/, "+");
  if (!international.startsWith("+")) return undefined;
  const parsed = parsePhoneNumberFromString(international, { extract: false });
  return parsed?.isPossible() ? parsed.number : undefined;
};
