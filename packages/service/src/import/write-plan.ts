import type { Connection } from "@parley/database";
import { importChangeStore } from "./change.sql.ts";
import { recordChecked } from "./constraint-check.sql.ts";
import { insertStore, inPipelinedTransaction } from "./insert.sql.ts";
import type { ImportPlan } from "./plan.ts";

/** Records of a batch by outcome. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
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

/** Counts 0 for a write whose rows the plan has already counted. */
const uncounted = (rows: Promise<unknown>): Promise<number> => rows.then(() => 0);

/** Writes the rows of a plan in one transaction. All statements are sent before the call returns. */
export const writePlan = async (connection: Connection, accountId: number, plan: ImportPlan): Promise<ImportCounts> => {
  const { users, conversations, messages, csats, uploads, touched } = plan;
  const { created, updated } = countOf(plan, 0);
  // The usual case when an import is run again: nothing to write.
  if (created + updated + touched.size + csats.length + uploads.length === 0) return countOf(plan, 0);
  const [insert, change] = [insertStore(connection), importChangeStore(connection)];
  const addedCounts = await inPipelinedTransaction(connection, () => [
    ...(uploads.length > 0 ? [change.uploads(accountId, uploads)] : []),
    ...(users.length > 0 ? [uncounted(insert.users(accountId, users))] : []),
    ...plan.changedUsers.map((each) => uncounted(change.user(accountId, each))),
    ...(conversations.length > 0 ? [uncounted(insert.conversations(accountId, conversations))] : []),
    ...plan.changedConversations.map((each) => uncounted(change.conversation(accountId, each))),
    ...(messages.length > 0 ? [uncounted(insert.messages(messages))] : []),
    ...plan.changedMessages.map((each) => uncounted(change.message(each))),
    ...(touched.size > 0 ? [uncounted(change.touch(touched))] : []),
    ...(csats.length > 0 ? [change.csat(accountId, csats)] : []),
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
