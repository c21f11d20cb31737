import { type Connection, statement } from "@parley/database";
import { conversationImportStore } from "../../../messaging/conversations/import.sql.ts";
import { importCsat } from "../../../messaging/csat/store.ts";
import { noteInboxChanges } from "../../../console/inbox/changes.sql.ts";
import { importUploads } from "../../../messaging/uploads/store.ts";
import { userImportStore } from "../../../messaging/users/import.sql.ts";
import { recordChecked } from "./constraint-check.sql.ts";
import { queueBulk, queueChanged, queueConversationsOf } from "../../../messaging/search-queue/queue.sql.ts";
import type { ImportPlan } from "./plan.ts";

const BEGIN = statement("", "begin");
const COMMIT = statement("", "commit");
const ROLLBACK = statement("", "rollback");

/**
 * Sends statements as one transaction without waiting in between. Statements that are sent later run after the transaction.
 * @shape send: sends all statements before it returns; -> their results
 * @errors the error of the first failing statement; nothing is written then, since the commit after it rolls back
 */
const inPipelinedTransaction = async <T>(
  connection: Connection,
  send: () => readonly Promise<T>[],
): Promise<readonly T[]> => {
  const begun = connection.rows(BEGIN, []);
  let sent: readonly Promise<T>[];
  try {
    sent = send();
  } catch (error) {
    await Promise.all([begun, connection.rows(ROLLBACK, [])]);
    throw error;
  }
  const [results] = await Promise.all([Promise.all(sent), begun, connection.rows(COMMIT, [])]);
  return results;
};

/** Records of a batch by outcome. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Records of apps that are not available to the account; absent without such records. */
  readonly skipped?: number;
}

export const NO_IMPORT_COUNTS: ImportCounts = { created: 0, updated: 0, unchanged: 0 };

const countOf = (plan: ImportPlan, addedRows: number): ImportCounts => {
  const { users, conversations, messages, csats, uploads, changedUsers, changedConversations, changedMessages } = plan;
  return {
    created: users.length + conversations.length + messages.length + addedRows,
    updated: changedUsers.length + changedConversations.length + changedMessages.length,
    unchanged: plan.unchanged + csats.length + uploads.length - addedRows,
  };
};

/** Conversations of which the inbox shows something else after the writes. */
const changedConversationIds = (plan: ImportPlan): ReadonlySet<string> =>
  new Set([
    ...[...plan.conversations, ...plan.changedConversations].map(({ id }) => id),
    ...[...plan.messages, ...plan.changedMessages].map(({ conversation_id }) => conversation_id),
  ]);

/** Counts 0 for a write whose rows the plan has already counted. */
const uncounted = (rows: Promise<unknown>): Promise<number> => rows.then(() => 0);

/** Writes the rows of a plan in one transaction. All statements are sent before the call returns. */
export const writePlan = async (connection: Connection, accountId: number, plan: ImportPlan): Promise<ImportCounts> => {
  const { users, conversations, messages, csats, uploads, touched } = plan;
  const { created, updated } = countOf(plan, 0);
  // The usual case when an import is run again: nothing to write.
  if (created + updated + touched.size + csats.length + uploads.length === 0) return countOf(plan, 0);
  const [userStore, conversationStore] = [userImportStore(connection), conversationImportStore(connection)];
  const changedIds = changedConversationIds(plan);
  const addedCounts = await inPipelinedTransaction(connection, () => [
    ...(uploads.length > 0 ? [importUploads(connection, accountId, uploads)] : []),
    ...(users.length > 0 ? [uncounted(userStore.insertUsers(accountId, users))] : []),
    ...plan.changedUsers.map((each) => uncounted(userStore.changeUser(accountId, each))),
    ...(conversations.length > 0 ? [uncounted(conversationStore.insertConversations(accountId, conversations))] : []),
    ...plan.changedConversations.map((each) => uncounted(conversationStore.changeConversation(accountId, each))),
    ...(messages.length > 0 ? [uncounted(conversationStore.insertMessages(messages))] : []),
    ...plan.changedMessages.map((each) => uncounted(conversationStore.changeMessage(each))),
    ...(changedIds.size > 0 ? [uncounted(noteInboxChanges(connection, changedIds))] : []),
    ...(touched.size > 0 ? [uncounted(conversationStore.touch(touched))] : []),
    uncounted(
      queueBulk(connection, accountId, [
        { kind: 1, rows: [...messages, ...plan.changedMessages] },
        { kind: 2, rows: [...users, ...plan.changedUsers.map(({ user }) => user)] },
        { kind: 3, rows: conversations },
      ]),
    ),
    uncounted(
      queueChanged(
        connection,
        accountId,
        plan.changedConversations.map(({ id }) => id),
      ),
    ),
    uncounted(
      queueConversationsOf(
        connection,
        plan.changedUsers.map(({ user }) => user.id),
      ),
    ),
    ...(csats.length > 0 ? [importCsat(connection, accountId, csats)] : []),
  ]);
  return countOf(
    plan,
    addedCounts.reduce((sum, count) => sum + count, 0),
  );
};

/** Records the rows that a plan would have written, for checks of later batches. All statements are sent before the call returns. */
export const checkPlan = async (connection: Connection, accountId: number, plan: ImportPlan): Promise<ImportCounts> => {
  const users = plan.users.map(({ id }) => id);
  await recordChecked(connection, accountId, { users, conversations: plan.conversations });
  return countOf(plan, plan.csats.length + plan.uploads.length);
};
