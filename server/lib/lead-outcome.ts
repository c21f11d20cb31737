import { alike } from "./setting-lines.ts";
import type { RuleLogEntry } from "./decision-log.ts";
import { namesOf, type LeadField } from "./leads.ts";

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

/** What came of a customer's answer. */
export interface LeadOutcome {
  readonly agrees: boolean;
  readonly kept: readonly LeadField[];
  /** Another one stands there. */
  readonly standing: readonly LeadField[];
  /** The account has refused them. */
  readonly failed: readonly LeadField[];
}

const SAYINGS = [
  ["kept", "Kept, as the customer agreed"],
  ["standing", "Not kept, since another one stands there"],
  ["failed", "The customer agreed, but it could not be kept"],
] as const;

/** For the agent, a line for each kind. -> empty where there is nothing to say */
export const outcomeWords = (outcome: LeadOutcome): string =>
  SAYINGS.flatMap(([kind, saying]) => (outcome[kind].length > 0 ? [`${saying}: ${namesOf(outcome[kind])}.`] : [])).join(
    "\n",
  );

/** How the names of its entries in the journal begin. */
export const LEAD_OUTCOME_KEY = "lead-answer:";

/** For the journal. */
export const outcomeEntry = (outcome: LeadOutcome, at: string): RuleLogEntry => ({
  at,
  did: outcomeWords(outcome) || "Kept nothing of what was found.",
  why: `The customer answered "${outcome.agrees ? KEEP : DROP}".`,
});
