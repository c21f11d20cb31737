import { DROP, KEEP } from "./consent.ts";
import type { Entry } from "./journal.ts";
import { namesOf, type Lead } from "./leads.ts";

/** What came of a customer's answer. */
export interface Outcome {
  readonly agrees: boolean;
  readonly kept: readonly Lead[];
  /** Another one stands there. */
  readonly standing: readonly Lead[];
  /** The account has refused them. */
  readonly failed: readonly Lead[];
}

const SAYINGS = [
  ["kept", "Kept, as the customer agreed"],
  ["standing", "Not kept, since another one stands there"],
  ["failed", "The customer agreed, but it could not be kept"],
] as const;

/** For the agent, a line for each kind. -> empty where there is nothing to say */
export const outcomeWords = (outcome: Outcome): string =>
  SAYINGS.flatMap(([kind, saying]) => (outcome[kind].length > 0 ? [`${saying}: ${namesOf(outcome[kind])}.`] : [])).join(
    "\n",
  );

/** How the names of its entries in the journal begin. */
export const OUTCOME = "lead-answer:";

/** For the journal. */
export const outcomeEntry = (outcome: Outcome, at: string): Entry => ({
  at,
  did: outcomeWords(outcome) || "Kept nothing of what was found.",
  why: `The customer answered "${outcome.agrees ? KEEP : DROP}".`,
});
