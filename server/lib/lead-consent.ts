import type { KeyValueStore } from "@parley/framework/sdk";
import { type LeadField, leadsText } from "./lead-detection.ts";
import { claimRecord, findRecord, removeRecord, RECORD_TTL_SECONDS, putRecord } from "./records.ts";
import { hashedName } from "./hashed-name.ts";
import { normalizeName } from "./setting-lines.ts";
import type { DecisionLogEntry } from "./decision-log.ts";

/** A question that a customer has not answered yet. A conversation has one at most. */
export interface ConsentQuestion {
  readonly leads: readonly LeadField[];
  /** Id of the message that contained the values. */
  readonly message_id: string;
  /** Time of that message. ISO 8601. */
  readonly created_time: string;
}

/** The result of a customer's answer, so that a repeated answer has the same result. */
interface ConsentAnswer {
  /** Of the question: see `LeadQuestion`. */
  readonly message_id: string;
  readonly kept: readonly LeadField["field"][];
}

/** How long a question stays open when other values are found. @units milliseconds */
const QUESTION_OPEN_MS = 24 * 3_600_000;

/** The mark of the question's message. */
export const consentQuestionMark = (message_id: string): string => `lead:${message_id}`;

const keyOf = (conversation_id: string): string => `lead:${conversation_id}`;
const answerKeyOf = (message_id: string): string => `lead-answer:${message_id}`;
const askedKeyOf = (user_id: string): string => `lead-asked:${user_id}`;
/** A hash: refused values are not stored. */
const hashedValue = ({ value }: LeadField): string => hashedName("value", value.toLowerCase());

export const findConsentQuestion = (db: KeyValueStore, conversation_id: string): Promise<ConsentQuestion | undefined> =>
  findRecord<ConsentQuestion>(db, keyOf(conversation_id));

/** Opens a question. -> "again" when this question is open already, "busy" when another question is open */
export async function openConsentQuestion(
  db: KeyValueStore,
  conversation_id: string,
  question: ConsentQuestion,
): Promise<"new" | "again" | "busy"> {
  const key = keyOf(conversation_id);
  if (await claimRecord(db, key, question, RECORD_TTL_SECONDS)) return "new";
  const other = await findConsentQuestion(db, conversation_id);
  if (other?.message_id === question.message_id) return "again";
  if (other && Date.parse(question.created_time) - Date.parse(other.created_time) < QUESTION_OPEN_MS) return "busy";
  await db.set(key, question, { ttl: RECORD_TTL_SECONDS });
  return "new";
}

/** Closes a question, unless another question has been opened. */
export async function closeConsentQuestion(
  db: KeyValueStore,
  conversation_id: string,
  message_id: string,
): Promise<void> {
  const question = await findConsentQuestion(db, conversation_id);
  if (question?.message_id === message_id) await removeRecord(db, keyOf(conversation_id));
}

export const findConsentAnswer = (db: KeyValueStore, message_id: string): Promise<ConsentAnswer | undefined> =>
  findRecord<ConsentAnswer>(db, answerKeyOf(message_id));

export const saveConsentAnswer = (db: KeyValueStore, message_id: string, answer: ConsentAnswer): Promise<boolean> =>
  claimRecord(db, answerKeyOf(message_id), answer, RECORD_TTL_SECONDS);

/** The values that the customer was never asked about. */
export async function withoutAskedLeads(
  db: KeyValueStore,
  user_id: string,
  leads: readonly LeadField[],
): Promise<LeadField[]> {
  const askedValues = (await findRecord<Record<string, unknown>>(db, askedKeyOf(user_id))) ?? {};
  return leads.filter((lead) => !Object.hasOwn(askedValues, hashedValue(lead)));
}

export const recordAskedLeads = (db: KeyValueStore, user_id: string, leads: readonly LeadField[]): Promise<void> =>
  putRecord(
    db,
    askedKeyOf(user_id),
    Object.fromEntries(leads.map((lead) => [hashedValue(lead), true])),
    RECORD_TTL_SECONDS,
  );

/** The answers to the question whether an address or a number may be saved. */
export const CONSENT_ANSWER = "Yes, keep it";
export const REFUSAL_ANSWER = "No, thanks";

/** Removes punctuation, which people omit when they type an answer. */
const normalizeAnswer = (text: string): string => normalizeName(text.replace(/[.,!]/g, " "));

/** -> whether the customer agrees; undefined for a text that is neither answer */
export const parseConsent = (text: string): boolean | undefined => {
  const answer = normalizeAnswer(text);
  if (answer === normalizeAnswer(CONSENT_ANSWER)) return true;
  return answer === normalizeAnswer(REFUSAL_ANSWER) ? false : undefined;
};

/** Whether a text answers that question, and therefore does not describe the customer's request. */
export const isConsentAnswer = (text: string): boolean => parseConsent(text) !== undefined;

/** The result of a customer's answer. */
export interface LeadOutcome {
  readonly agrees: boolean;
  readonly saved: readonly LeadField[];
  /** Fields that contain another value already. */
  readonly skipped: readonly LeadField[];
  /** Fields that the account has refused. */
  readonly failed: readonly LeadField[];
}

const OUTCOME_TEXTS = [
  ["saved", "Kept, as the customer agreed"],
  ["skipped", "Not kept, since the field has another value"],
  ["failed", "The customer agreed, but it could not be kept"],
] as const;

/** Text for the agent, one line for each result. -> empty for no result */
export const outcomeText = (outcome: LeadOutcome): string =>
  OUTCOME_TEXTS.flatMap(([kind, label]) =>
    outcome[kind].length > 0 ? [`${label}: ${leadsText(outcome[kind])}.`] : [],
  ).join("\n");

/** Prefix of the names of its entries in the decision log. */
export const LEAD_OUTCOME_PREFIX = "lead-answer:";

/** Entry of the decision log. */
export const outcomeLogEntry = (outcome: LeadOutcome, at: string): DecisionLogEntry => ({
  at,
  did: outcomeText(outcome) || "Kept none of the details that were found.",
  why: `The customer answered "${outcome.agrees ? CONSENT_ANSWER : REFUSAL_ANSWER}".`,
});
