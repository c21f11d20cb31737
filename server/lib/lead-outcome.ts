import { alike } from "./setting-lines.ts";
import type { RuleLogEntry } from "./decision-log.ts";
import { namesOf, type LeadField } from "./leads.ts";

/** The answers to the question whether an address or a number may be saved. */
export const CONSENT_ANSWER = "Yes, keep it";
export const REFUSAL_ANSWER = "No, thanks";

/** Removes punctuation, which people omit when they type an answer. */
const plain = (words: string): string => alike(words.replace(/[.,!]/g, " "));

/** -> whether the customer agrees; undefined for a text that is neither answer */
export const consentOf = (words: string): boolean | undefined => {
  const said = plain(words);
  if (said === plain(CONSENT_ANSWER)) return true;
  return said === plain(REFUSAL_ANSWER) ? false : undefined;
};

/** Whether a text answers that question, and therefore does not describe the customer's request. */
export const isConsentAnswer = (words: string): boolean => consentOf(words) !== undefined;

/** The result of a customer's answer. */
export interface LeadOutcome {
  readonly agrees: boolean;
  readonly kept: readonly LeadField[];
  /** Fields that contain another value already. */
  readonly standing: readonly LeadField[];
  /** Fields that the account has refused. */
  readonly failed: readonly LeadField[];
}

const OUTCOME_TEXTS = [
  ["kept", "Kept, as the customer agreed"],
  ["standing", "Not kept, since another one stands there"],
  ["failed", "The customer agreed, but it could not be kept"],
] as const;

/** Text for the agent, one line for each result. -> empty for no result */
export const outcomeWords = (outcome: LeadOutcome): string =>
  OUTCOME_TEXTS.flatMap(([kind, saying]) =>
    outcome[kind].length > 0 ? [`${saying}: ${namesOf(outcome[kind])}.`] : [],
  ).join("\n");

/** Prefix of the names of its entries in the decision log. */
export const LEAD_OUTCOME_KEY = "lead-answer:";

/** Entry of the decision log. */
export const outcomeEntry = (outcome: LeadOutcome, at: string): RuleLogEntry => ({
  at,
  did: outcomeWords(outcome) || "Kept nothing of what was found.",
  why: `The customer answered "${outcome.agrees ? CONSENT_ANSWER : REFUSAL_ANSWER}".`,
});
