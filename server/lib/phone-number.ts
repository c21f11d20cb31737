import { isPossiblePhoneNumber, isSupportedCountry } from "libphonenumber-js/min";

/** -> what is wrong with a phone number that must say its country, undefined when nothing is */
export function phoneProblem(number: string): string | undefined {
  if (!number.startsWith("+")) return "the number must begin with + and its country, such as +1 202 555 0147.";
  return isPossiblePhoneNumber(number) ? undefined : "it has too few or too many digits for its country.";
}

/** -> what is wrong with a country's code, undefined when nothing is */
export const countryProblem = (code: string): string | undefined =>
  isSupportedCountry(code) ? undefined : `"${code}" is no country's code: write two letters, such as US, GB or DE.`;
