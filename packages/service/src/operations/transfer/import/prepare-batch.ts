import { isRefusal, type ImportedConversation, type ImportedCsat, type ImportedMessage } from "@parley/contract";
import type { AtLine, ImportBatch, ImportLineProblem } from "./batch.ts";
import type { ExistingConversation, ExistingMessage, ExistingUser, ImportLookupStore } from "./lookup.sql.ts";
import { conversationOfRecord, userOfRecord, type ConversationOfRecord, type UserOfRecord } from "./record-fields.ts";
import type { AccountDirectory } from "./account-directory.ts";

/** A batch before any lookup, with the table ids of its records. */
export interface PreparedBatch {
  readonly batch: ImportBatch;
  readonly users: readonly { readonly line: number; readonly isDated: boolean; readonly converted: UserOfRecord }[];
  readonly conversations: readonly (AtLine<ImportedConversation> & { readonly converted: ConversationOfRecord })[];
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
export const prepareBatch = (directory: AccountDirectory, batch: ImportBatch): PreparedBatch => {
  const { idOf } = directory;
  const problems: ImportLineProblem[] = [];
  const conversations = batch.conversations.flatMap(({ line, record }) => {
    try {
      return [{ line, record, converted: conversationOfRecord(directory, record) }];
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
      converted: userOfRecord(directory, record),
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
  lookups: ImportLookupStore,
  accountId: number,
  prepared: PreparedBatch,
): Promise<ExistingRows> => {
  const batchUserIds = new Set(prepared.users.map(({ converted }) => converted.user.id));
  const otherUserIds = new Set(
    prepared.conversations.map(({ converted }) => converted.user_id).filter((id) => !batchUserIds.has(id)),
  );
  const conversationIds = new Set([
    ...prepared.conversations.map(({ converted }) => converted.id),
    ...prepared.messages.map(({ conversation_id }) => conversation_id),
    ...prepared.csats.map(({ conversation_id }) => conversation_id),
  ]);
  const [users, userIds, conversations, messages, freeNumbers] = await Promise.all([
    lookups.users([...batchUserIds]),
    lookups.userIds(accountId, [...otherUserIds]),
    lookups.conversations([...conversationIds]),
    lookups.messages(prepared.messages.map(({ id }) => id)),
    lookups.freeNumbers(prepared.conversations.flatMap(({ record }) => record.conversation_internal_id ?? [])),
  ]);
  return { users, userIds, conversations, messages, freeNumbers };
};
