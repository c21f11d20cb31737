import { statement, type Db } from "@parley/database";
import { conversationImportStore } from "../../messaging/conversations/import.sql.ts";
import { noteInboxChanges } from "../../console/inbox/changes.sql.ts";
import { queueBulk } from "../../messaging/search-queue/queue.sql.ts";
import { userImportStore } from "../../messaging/users/import.sql.ts";
import { userJson } from "../../messaging/users/user.ts";
import type { LoadBatch } from "./batch.ts";

/** Tables to vacuum and analyse: otherwise plans use outdated statistics, and index-only scans read the tables. */
const TABLES = ["users", "user_ranks", "user_rank_changes", "conversations", "messages"] as const;

/** Updates the planner's statistics and the visibility map. Tables of another owner are skipped. */
export const vacuumTables = async (db: Db): Promise<void> => {
  for (const name of TABLES) await db.rows(statement("", `vacuum (analyze, skip_locked) ${name}`), []);
};

/** Writes generated batches. */
export const loadWriteStore = (db: Db) => {
  const [userStore, conversationStore] = [userImportStore(db), conversationImportStore(db)];
  return {
    numbers: conversationStore.numbers,
    write: async (accountId: number, { users, conversations }: LoadBatch): Promise<void> => {
      await userStore.insertUsers(
        accountId,
        users.map((user) => ({ ...user, body: userJson(user) })),
      );
      await conversationStore.insertConversations(
        accountId,
        conversations.map((conversation) => ({ ...conversation, properties: "{}" })),
      );
      await conversationStore.insertMessages(
        conversations.flatMap(({ id: conversation_id, interaction_id, messages }) =>
          messages.map((message) => ({ ...message, conversation_id, interaction_id })),
        ),
      );
      await noteInboxChanges(
        db,
        conversations.map(({ id }) => id),
      );
      await queueBulk(db, accountId, [
        { kind: 1, rows: conversations.flatMap(({ messages }) => messages) },
        { kind: 2, rows: users },
        { kind: 3, rows: conversations },
      ]);
    },
  };
};
