import { isRefusal, type ImportedConversation, type ImportedCsat, type ImportedMessage } from "@parley/contract";
import type { AtLine, ImportBatch, ImportLineProblem } from "./batch.ts";
import type { ExistingConversation, ExistingMessage, ExistingUser, ImportLookupStore } from "./lookup.sql.ts";
import { givenConversation, givenUser, type GivenConversation, type GivenUser } from "./record-fields.ts";
import type { AccountDirectory } from "./account-directory.ts";

/** A batch before any lookup, with the table ids of its records. */
export interface PreparedBatch {
  readonly batch: ImportBatch;
  readonly users: readonly { readonly line: number; readonly isDated: boolean; readonly given: GivenUser }[];
  readonly conversations: readonly (AtLine<ImportedConversation> & { readonly given: GivenConversation })[];
  readonly messages: readonly (AtLine<ImportedMessage> & { readonly id: string; readonly conversation_id: string })[];
  readonly csats: readonly (AtLine<ImportedCsat> & { readonly conversation_id: string })[];
  readonly problems: readonly ImportLineProblem[];
}

/** The existing rows that a batch refers to. */
export interface ExistingRows {
  readonly users: ReadonlyMap<string, ExistingUser>;
  /** Users of the account that conversations of the batch refer to. */
  readonly userIds: ReadonlySet<string>;
  readonly conversations: ReadonlyMap<string, ExistingConversation>;
  readonly messages: ReadonlyMap<string, ExistingMessage>;
  /** Conversation numbers in the records that can be kept. */
  readonly freeNumbers: ReadonlySet<number>;
}

/** Converts and checks a batch as far as possible without the database. */
export const prepareBatch = (roll: AccountDirectory, batch: ImportBatch): PreparedBatch => {
  const { idOf } = roll;
  const problems: ImportLineProblem[] = [];
  const conversations = batch.conversations.flatMap(({ line, record }) => {
    try {
      return [{ line, record, given: givenConversation(roll, record) }];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      problems.push({ line, refusal: error });
      return [];
    }
  });
  return {
    batch,
    users: batch.users.map(({ line, record }) => ({
      line,
      isDated: record.updated_time !== undefined,
      given: givenUser(roll, record),
    })),
    conversations,
    messages: batch.messages.map(({ line, record }) => ({
      line,
      record,
      id: idOf("message", record.id),
      conversation_id: idOf("conversation", record.conversation_id),
    })),
    csats: batch.csats.map(({ line, record }) => ({
      line,
      record,
      conversation_id: idOf("conversation", record.conversation_id),
    })),
    problems,
  };
};

/** Looks up all rows that a batch refers to, in one round trip. */
export const findExistingRows = async (
  look: ImportLookupStore,
  accountId: number,
  prepared: PreparedBatch,
): Promise<ExistingRows> => {
  const own = new Set(prepared.users.map(({ given }) => given.user.id));
  const named = new Set(prepared.conversations.map(({ given }) => given.user_id).filter((id) => !own.has(id)));
  const spokenOf = new Set([
    ...prepared.conversations.map(({ given }) => given.id),
    ...prepared.messages.map(({ conversation_id }) => conversation_id),
    ...prepared.csats.map(({ conversation_id }) => conversation_id),
  ]);
  const [users, userIds, conversations, messages, freeNumbers] = await Promise.all([
    look.users([...own]),
    look.userIds(accountId, [...named]),
    look.conversations([...spokenOf]),
    look.messages(prepared.messages.map(({ id }) => id)),
    look.freeNumbers(prepared.conversations.flatMap(({ record }) => record.conversation_internal_id ?? [])),
  ]);
  return { users, userIds, conversations, messages, freeNumbers };
};
