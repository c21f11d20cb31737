import { inTransaction, type Connection } from "@parley/database";
import { changeStore } from "./db/change.ts";
import { noteChecked } from "./db/checked.ts";
import { insertStore } from "./db/insert.ts";
import type { Judged } from "./judge.ts";

/** How many records of each kind a batch came to. */
export interface Written {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

const countOf = (judged: Judged, few: number): Written => {
  const { users, conversations, messages, csats, uploads, changedUsers, changedConversations, changedMessages } =
    judged;
  return {
    created: users.length + conversations.length + messages.length + few,
    updated: changedUsers.length + changedConversations.length + changedMessages.length,
    unchanged: judged.unchanged + csats.length + uploads.length - few,
  };
};

/** Writes what a batch comes to, whole or not at all. */
export const writeJudged = (connection: Connection, accountId: number, judged: Judged): Promise<Written> =>
  inTransaction(connection, async () => {
    const [insert, change] = [insertStore(connection), changeStore(connection)];
    const { users, conversations, messages, csats, uploads, touched } = judged;
    let few = 0;
    if (uploads.length > 0) few += await change.uploads(accountId, uploads);
    if (users.length > 0) await insert.users(accountId, users);
    for (const each of judged.changedUsers) await change.user(accountId, each);
    if (conversations.length > 0) await insert.conversations(accountId, conversations);
    for (const each of judged.changedConversations) await change.conversation(accountId, each);
    if (messages.length > 0) await insert.messages(messages);
    for (const each of judged.changedMessages) await change.message(each);
    if (touched.size > 0) await change.touch(touched);
    if (csats.length > 0) few += await change.csat(accountId, csats);
    return countOf(judged, few);
  });

/** Notes what a batch would have written, for what follows it. */
export const checkJudged = async (connection: Connection, accountId: number, judged: Judged): Promise<Written> => {
  const users = judged.users.map(({ id }) => id);
  await noteChecked(connection, accountId, { users, conversations: judged.conversations });
  return countOf(judged, judged.csats.length + judged.uploads.length);
};
