import type { Db } from "@parley/database";
import { insertStore } from "../../import/db/insert.ts";
import { userText } from "../../users/user.ts";
import type { Batch } from "../batch.ts";

/** What a load writes. */
export const loadStore = (db: Db) => {
  const insert = insertStore(db);
  return {
    numbers: insert.numbers,
    write: async (accountId: number, { users, talks }: Batch): Promise<void> => {
      await insert.users(
        accountId,
        users.map((user) => ({ ...user, body: userText(user) })),
      );
      await insert.conversations(
        accountId,
        talks.map((talk) => ({ ...talk, properties: "{}" })),
      );
      await insert.messages(
        talks.flatMap(({ id: conversation_id, interaction_id, messages }) =>
          messages.map((message) => ({ ...message, conversation_id, interaction_id })),
        ),
      );
    },
  };
};
