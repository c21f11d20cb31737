import type { Connection } from "@parley/database";
import { conversationImportStore } from "../conversations/import.sql.ts";
import { importCsat } from "../csat/store.ts";
import { importUploads } from "../uploads/store.ts";
import { userImportStore } from "../users/import.sql.ts";
import { noteChecked } from "./constraint-check.sql.ts";
import { inOneStatement } from "./transaction.sql.ts";
import type { ImportPlan } from "./plan.ts";

/** How many records of each kind a batch came to. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export const NO_IMPORT_COUNTS: ImportCounts = { created: 0, updated: 0, unchanged: 0 };

const countOf = (judged: ImportPlan, few: number): ImportCounts => {
  const { users, conversations, messages, csats, uploads, changedUsers, changedConversations, changedMessages } =
    judged;
  return {
    created: users.length + conversations.length + messages.length + few,
    updated: changedUsers.length + changedConversations.length + changedMessages.length,
    unchanged: judged.unchanged + csats.length + uploads.length - few,
  };
};

/** Nothing is counted of what the batch itself has the number of. */
const uncounted = (rows: Promise<unknown>): Promise<number> => rows.then(() => 0);

/** Writes what a batch comes to, whole or not at all. All is sent before this returns. */
export const writePlan = async (
  connection: Connection,
  accountId: number,
  judged: ImportPlan,
): Promise<ImportCounts> => {
  const { users, conversations, messages, csats, uploads, touched } = judged;
  const { created, updated } = countOf(judged, 0);
  // Of an import that is run again most is there.
  if (created + updated + touched.size + csats.length + uploads.length === 0) return countOf(judged, 0);
  const [userStore, conversationStore] = [userImportStore(connection), conversationImportStore(connection)];
  const added = await inOneStatement(connection, () => [
    ...(uploads.length > 0 ? [importUploads(connection, accountId, uploads)] : []),
    ...(users.length > 0 ? [uncounted(userStore.insertUsers(accountId, users))] : []),
    ...judged.changedUsers.map((each) => uncounted(userStore.changeUser(accountId, each))),
    ...(conversations.length > 0 ? [uncounted(conversationStore.insertConversations(accountId, conversations))] : []),
    ...judged.changedConversations.map((each) => uncounted(conversationStore.changeConversation(accountId, each))),
    ...(messages.length > 0 ? [uncounted(conversationStore.insertMessages(messages))] : []),
    ...judged.changedMessages.map((each) => uncounted(conversationStore.changeMessage(each))),
    ...(touched.size > 0 ? [uncounted(conversationStore.touch(touched))] : []),
    ...(csats.length > 0 ? [importCsat(connection, accountId, csats)] : []),
  ]);
  return countOf(
    judged,
    added.reduce((sum, count) => sum + count, 0),
  );
};

/** Notes what a batch would have written, for what follows it. All is sent before this returns. */
export const checkPlan = async (
  connection: Connection,
  accountId: number,
  judged: ImportPlan,
): Promise<ImportCounts> => {
  const users = judged.users.map(({ id }) => id);
  await noteChecked(connection, accountId, { users, conversations: judged.conversations });
  return countOf(judged, judged.csats.length + judged.uploads.length);
};
