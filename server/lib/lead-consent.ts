import type { KeyValueStore } from "@parley/framework/sdk";
import { type LeadField, namesOf } from "./lead-detection.ts";
import { claimRecord, findRecord, removeRecord, KNOWN_SECONDS, putRecord } from "./records.ts";
import { shortName } from "./hashed-name.ts";
import { alike } from "./setting-lines.ts";
import type { RuleLogEntry } from "./decision-log.ts";

/** A question that a customer has not answered yet. A conversation has one at most. */
export interface LeadQuestion {
  readonly leads: readonly LeadField[];
  /** Id of the message that contained the values. */
  readonly message_id: string;
  /** Time of that message. ISO 8601. */
  readonly created_time: string;
}

/** The result of a customer's answer, so that a repeated answer has the same result. */
export interface LeadAnswer {
  /** Of the question: see `LeadQuestion`. */
  readonly message_id: string;
  readonly kept: readonly LeadField["field"][];
}

/** How long a question stays open when other values are found. @units milliseconds */
const OPEN = 24 * 3_600_000;

/** The mark of the question's message. */
export const markOfQuestion = (message_id: string): string => `lead:${message_id}`;

const keyOf = (conversation_id: string): string => `lead:${conversation_id}`;
const answerKeyOf = (message_id: string): string => `lead-answer:${message_id}`;
const askedKeyOf = (user_id: string): string => `lead-asked:${user_id}`;
/** A hash: refused values are not stored. */
const nameOf = ({ value }: LeadField): string => shortName("value", value.toLowerCase());

export const questionAt = (db: KeyValueStore, conversation_id: string): Promise<LeadQuestion | undefined> =>
  findRecord<LeadQuestion>(db, keyOf(conversation_id));

/** Opens a question. -> "again" when this question is open already, "busy" when another one is */
export async function openLead(
  db: KeyValueStore,
  conversation_id: string,
  question: LeadQuestion,
): Promise<"new" | "again" | "busy"> {
  const key = keyOf(conversation_id);
  if (await claimRecord(db, key, question, KNOWN_SECONDS)) return "new";
  const other = await questionAt(db, conversation_id);
  if (other?.message_id === question.message_id) return "again";
  if (other && Date.parse(question.created_time) - Date.parse(other.created_time) < OPEN) return "busy";
  await db.set(key, question, { ttl: KNOWN_SECONDS });
  return "new";
}

/** Closes a question, unless another one has been opened. */
export async function closeLead(db: KeyValueStore, conversation_id: string, message_id: string): Promise<void> {
  const question = await questionAt(db, conversation_id);
  if (question?.message_id === message_id) await removeRecord(db, keyOf(conversation_id));
}

export const answerAt = (db: KeyValueStore, message_id: string): Promise<LeadAnswer | undefined> =>
  findRecord<LeadAnswer>(db, answerKeyOf(message_id));

export const saveLeadAnswer = (db: KeyValueStore, message_id: string, answer: LeadAnswer): Promise<boolean> =>
  claimRecord(db, answerKeyOf(message_id), answer, KNOWN_SECONDS);

/** The values that the customer was never asked about. */
export async function unasked(db: KeyValueStore, user_id: string, leads: readonly LeadField[]): Promise<LeadField[]> {
  const asked = (await findRecord<Record<string, unknown>>(db, askedKeyOf(user_id))) ?? {};
  return leads.filter((lead) => !Object.hasOwn(asked, nameOf(lead)));
}

export const setAsked = (db: KeyValueStore, user_id: string, leads: readonly LeadField[]): Promise<void> =>
  putRecord(db, askedKeyOf(user_id), Object.fromEntries(leads.map((lead) => [nameOf(lead), true])), KNOWN_SECONDS);

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
