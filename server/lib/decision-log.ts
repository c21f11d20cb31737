import type { KeyValueStore } from "@parley/framework/sdk";
import { findRecord, RECORD_TTL_SECONDS, putRecord } from "./records.ts";

/** An action of Concierge in a conversation, shown to agents. @shape at: ISO 8601 */
export interface DecisionLogEntry {
  readonly at: string;
  /** A sentence in the past tense: "Routed to Billing." */
  readonly did: string;
  /** The reason, such as the rule that matched. */
  readonly why?: string;
}

const keyOf = (conversation_id: string): string => `did:${conversation_id}`;
const TEXT_CHARACTERS = 300;

/** Records an action. An entry replaces an earlier entry of the same name, so that a repeated event adds nothing. */
export const recordDecision = (
  db: KeyValueStore,
  conversation_id: string,
  name: string,
  { at, did, why }: DecisionLogEntry,
): Promise<void> => {
  const entry = { at, did: did.slice(0, TEXT_CHARACTERS), ...(why && { why: why.slice(0, TEXT_CHARACTERS) }) };
  return putRecord(db, keyOf(conversation_id), { [name]: entry }, RECORD_TTL_SECONDS);
};

/** Returns the recorded actions, oldest first. @param kind prefix of the names of the entries */
export const decisionsOf = async (
  db: KeyValueStore,
  conversation_id: string,
  kind = "",
): Promise<readonly DecisionLogEntry[]> =>
  Object.entries((await findRecord<Record<string, DecisionLogEntry>>(db, keyOf(conversation_id))) ?? {})
    .flatMap(([name, entry]) => (name.startsWith(kind) ? [entry] : []))
    .sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
