import { statement, type Db } from "@parley/database";
import { conversationImportStore } from "../conversations/import.sql.ts";
import { userImportStore } from "../users/import.sql.ts";
import { userJson } from "../users/user.ts";
import type { LoadBatch } from "./batch.ts";

/** Without it, plans would rest on what the tables were before, and counts of an index would look into the tables. */
const TABLES = ["users", "user_ranks", "user_rank_changes", "conversations", "messages"] as const;

/** Brings what the planner knows of the tables up to date. A table of another owner is left as it is. */
export const tidyTables = async (db: Db): Promise<void> => {
  for (const name of TABLES) await db.rows(statement("", `vacuum (analyze, skip_locked) ${name}`), []);
};

/** What a load writes. */
export const loadWriteStore = (db: Db) => {
  const [users, conversations] = [userImportStore(db), conversationImportStore(db)];
  return {
    numbers: conversations.numbers,
    write: async (accountId: number, batch: LoadBatch): Promise<void> => {
      await users.insertUsers(
        accountId,
        batch.users.map((user) => ({ ...user, body: userJson(user) })),
      );
      await conversations.insertConversations(
        accountId,
        batch.talks.map((talk) => ({ ...talk, properties: "{}" })),
      );
      await conversations.insertMessages(
        batch.talks.flatMap(({ id: conversation_id, interaction_id, messages }) =>
          messages.map((message) => ({ ...message, conversation_id, interaction_id })),
        ),
      );
    },
  };
};
