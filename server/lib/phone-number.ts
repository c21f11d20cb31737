import { isSupportedCountry, isValidPhoneNumber } from "libphonenumber-js/min";

/** -> what is wrong with a phone number that must say its country, undefined when nothing is */
export function phoneProblem(number: string): string | undefined {
  if (!number.startsWith("+")) return "the number must begin with + and its country, such as +1 202 555 0147.";
  return isValidPhoneNumber(number) ? undefined : "no such number can be there: look at the country and the digits.";
}

/** -> what is wrong with a country's code, undefined when nothing is */
export const countryProblem = (code: string): string | undefined =>
  isSupportedCountry(code) ? undefined : `"${code}" is no country's code: write two letters, such as US, GB or DE.`;
