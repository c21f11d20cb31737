import type { User } from "@parley/contract";
import { statement } from "@parley/database";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import { queueForSearch } from "../../messaging/search-queue/queue.sql.ts";
import { DOCUMENT_KINDS, markOf } from "./documents.ts";
import { eraseDocuments } from "./edit-chunks.ts";
import { indexStore } from "./index.sql.ts";

// Unprepared, as all statements over a user's conversations: plans made for small tables would scan large tables.
const CONVERSATIONS = statement("", "select id from conversations where user_id = $1 and account_id = $2");
const QUEUE_CONVERSATIONS = statement(
  "",
  queueForSearch(3, ["account_id", "created_time", "id"], "from conversations where user_id = $1 and account_id = $2"),
);
const QUEUE_MESSAGES = statement(
  "",
  queueForSearch(
    1,
    ["c.account_id", "m.created_time", "m.id"],
    `from conversations c join messages m on m.conversation_id = c.id where c.user_id = $1 and c.account_id = $2`,
  ),
);

/**
 * Removes a user and the user's conversations and messages from the index, in the transaction that deletes the user. The remaining data
 * of them is indexed again afterwards.
 */
export const searchEraser: PersonalDataEraser = {
  async user(tx, accountId, bodies) {
    const [body] = bodies;
    if (body === undefined) return;
    const { id } = JSON.parse(body) as User;
    const store = indexStore(tx);
    await store.lock([accountId]);
    const conversations = (await tx.rows<{ id: string }>(CONVERSATIONS, [id, accountId])).map((row) => row.id);
    await store.deleteRecent([id, ...conversations]);
    await eraseDocuments(store, { accountId, kind: DOCUMENT_KINDS.users }, [markOf("user", id)]);
    const marks = conversations.map((each) => markOf("conversation", each));
    for (const kind of [DOCUMENT_KINDS.messages, DOCUMENT_KINDS.conversations])
      await eraseDocuments(store, { accountId, kind }, marks);
    await tx.rows(QUEUE_CONVERSATIONS, [id, accountId]);
    await tx.rows(QUEUE_MESSAGES, [id, accountId]);
  },
};
