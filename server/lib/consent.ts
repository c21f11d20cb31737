import { alike } from "./lines.ts";

/** The answers to the question whether an address or a number may be kept. */
export const KEEP = "Yes, keep it";
export const DROP = "No, thanks";

/** People who type an answer leave out commas and full stops. */
const plain = (words: string): string => alike(words.replace(/[.,!]/g, " "));

/** -> whether the customer agrees, undefined where the words are neither answer */
export const consentOf = (words: string): boolean | undefined => {
  const said = plain(words);
  if (said === plain(KEEP)) return true;
  return said === plain(DROP) ? false : undefined;
};

/** Tells whether words are an answer to that question, and so say nothing of what the customer wants. */
export const isConsentAnswer = (words: string): boolean => consentOf(words) !== undefined;
