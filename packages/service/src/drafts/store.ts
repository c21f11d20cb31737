import type { Draft } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { PersonalDataEraser } from "../db/tables.ts";

/** Maximum drafts of a list. @units drafts */
const LISTED_MAX = 500;

const LIST = statement(
  "list_drafts",
  `select conversation_id, text, is_private, parts, updated_time
     from drafts
    where account_id = $1 and agent_id = $2
    order by updated_time desc, conversation_id
    limit ${LISTED_MAX}`,
);
// Locks the user and the agent as foreign keys would: a deletion of the user either waits and then erases the draft, or is waited for, after
// which the user is not found.
const SAVE = statement(
  "save_draft",
  `insert into drafts (account_id, agent_id, conversation_id, text, is_private, parts, updated_time)
   select a.account_id, a.id, c.id, $4, $5, $6, $7
     from agents a
    cross join lateral (select * from conversations where id = $3 and account_id = $1 limit 1) c
    cross join lateral (select * from users where id = c.user_id limit 1 for key share) u
    where a.account_id = $1 and a.id = $2 and u.deleted_time is null
      for key share of a
       on conflict (account_id, agent_id, conversation_id) do update
      set (text, is_private, parts, updated_time) = (excluded.text, excluded.is_private, excluded.parts, excluded.updated_time)
   returning conversation_id`,
);
const FIND_CONVERSATION = statement(
  "draft_conversation",
  `select id from conversations where id = $2 and account_id = $1`,
);
const REMOVE = statement(
  "remove_draft",
  `delete from drafts where account_id = $1 and agent_id = $2 and conversation_id = $3 returning conversation_id`,
);
const ERASE = statement(
  "",
  `delete from drafts where conversation_id in (select id from conversations where user_id = $1)`,
);

interface DraftRow extends Omit<Draft, "parts" | "updated_time"> {
  /** JSON text. */
  readonly parts: string;
  readonly updated_time: Date;
}

const draftOf = ({ parts, updated_time, ...row }: DraftRow): Draft => ({
  ...row,
  parts: JSON.parse(parts) as Draft["parts"],
  updated_time: updated_time.toISOString(),
});

/** Statements on the table `drafts`. */
export const draftStore = (db: Db) => ({
  /** Newest first, also those of conversations that the agent no longer reaches. */
  list: async (accountId: number, agentId: string): Promise<Draft[]> =>
    (await db.rows<DraftRow>(LIST, [accountId, agentId])).map(draftOf),
  /** -> false if the account has no such conversation, or its user was deleted; nothing was written */
  save: async (accountId: number, agentId: string, draft: Draft): Promise<boolean> => {
    const { conversation_id, text, is_private, parts, updated_time } = draft;
    const values = [accountId, agentId, conversation_id, text, is_private, JSON.stringify(parts), updated_time];
    return (await db.one(SAVE, values)) !== undefined;
  },
  hasConversation: async (accountId: number, id: string): Promise<boolean> =>
    (await db.one(FIND_CONVERSATION, [accountId, id])) !== undefined,
  /** -> whether there was one */
  remove: async (accountId: number, agentId: string, conversationId: string): Promise<boolean> =>
    (await db.one(REMOVE, [accountId, agentId, conversationId])) !== undefined,
});
export type DraftStore = ReturnType<typeof draftStore>;

/** Erases what agents have begun to write to a deleted user. */
export const draftEraser: PersonalDataEraser = {
  async user(tx, _accountId, [body]) {
    const { id } = JSON.parse(body ?? "{}") as { readonly id?: string };
    await tx.rows(ERASE, [id ?? null]);
  },
};
