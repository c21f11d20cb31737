import type { Draft } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { PersonalDataEraser } from "../../base/db/tables.ts";

/** Maximum drafts of a list. @units drafts */
const LISTED_MAX = 500;

const LIST = statement(
  "list_drafts",
  `select conversation_id, text, is_private, parts, updated_time
     from conversation_drafts
    where account_id = $1 and agent_id = $2
    order by updated_time desc, conversation_id, is_private
    limit ${LISTED_MAX}`,
);
// Locks the user and the agent as foreign keys would: a deletion of the user either waits and then erases the draft, or is waited for, after
// which the user is not found. Two changes of a draft have different times, also within a millisecond: `based_on` refers to one of them.
const SAVE = statement(
  "save_conversation_draft",
  `insert into conversation_drafts as d (account_id, agent_id, conversation_id, is_private, text, parts, updated_time)
   select a.account_id, a.id, c.id, $5, $4, $6, $7
     from agents a
    cross join lateral (select * from conversations where id = $3 and account_id = $1 limit 1) c
    cross join lateral (select * from users where id = c.user_id limit 1 for key share) u
    where a.account_id = $1 and a.id = $2 and u.deleted_time is null
      for key share of a
       on conflict (account_id, agent_id, conversation_id, is_private) do update
      set (text, parts, updated_time) = (excluded.text, excluded.parts, greatest(excluded.updated_time, d.updated_time + interval '1 millisecond'))
    where $8 or extract(epoch from d.updated_time) * 1000 = $9::numeric
   returning updated_time`,
);
const HAS_DRAFT = statement(
  "has_conversation_draft",
  `select 1 as found from conversation_drafts where account_id = $1 and agent_id = $2 and conversation_id = $3 and is_private = $4`,
);
const FIND_CONVERSATION = statement(
  "draft_conversation",
  `select id from conversations where id = $2 and account_id = $1`,
);
const REMOVE = statement(
  "remove_conversation_draft",
  `delete from conversation_drafts
    where account_id = $1 and agent_id = $2 and conversation_id = $3 and is_private = $4 and ($5 or extract(epoch from updated_time) * 1000 = $6::numeric)
   returning conversation_id`,
);
const REMOVE_BOTH = statement(
  "remove_conversation_drafts",
  `delete from conversation_drafts where account_id = $1 and agent_id = $2 and conversation_id = $3 returning conversation_id`,
);
const ERASE = statement(
  "",
  `delete from conversation_drafts where conversation_id in (select id from conversations where user_id = $1)`,
);
// Rows that a process of the previous release wrote.
const ERASE_PREVIOUS = statement(
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

/** Which stored draft may be replaced: the draft of this time; empty: only if no draft is stored; undefined: any draft. */
type BasedOn = string | undefined;

/**
 * -> whether any draft may be replaced, and the time of the draft that may be replaced. Not a timestamp: PostgreSQL does not take each one that the
 * format admits.
 */
const conditionOf = (basedOn: BasedOn): readonly [isAny: boolean, timeMs: number | null] => [
  basedOn === undefined,
  basedOn ? Date.parse(basedOn) : null,
];

/** Statements on the table `conversation_drafts`. */
export const draftStore = (db: Db) => ({
  /** Newest first, also those of conversations that the agent no longer reaches. */
  list: async (accountId: number, agentId: string): Promise<Draft[]> =>
    (await db.rows<DraftRow>(LIST, [accountId, agentId])).map(draftOf),
  /**
   * -> when it was saved; undefined if the account has no such conversation, its user was deleted, or the stored draft is not the draft of
   * `basedOn`: nothing was written
   */
  save: async (accountId: number, agentId: string, draft: Draft, basedOn: BasedOn): Promise<string | undefined> => {
    const { conversation_id, text, is_private, parts, updated_time } = draft;
    const content = [text, is_private, JSON.stringify(parts), updated_time];
    const values = [accountId, agentId, conversation_id, ...content, ...conditionOf(basedOn)];
    return (await db.one<{ updated_time: Date }>(SAVE, values))?.updated_time.toISOString();
  },
  hasDraft: async (
    accountId: number,
    agentId: string,
    { conversation_id, is_private }: Pick<Draft, "conversation_id" | "is_private">,
  ): Promise<boolean> => (await db.one(HAS_DRAFT, [accountId, agentId, conversation_id, is_private])) !== undefined,
  hasConversation: async (accountId: number, id: string): Promise<boolean> =>
    (await db.one(FIND_CONVERSATION, [accountId, id])) !== undefined,
  /** -> whether there was a draft, and it was the draft of `basedOn` */
  remove: async (
    accountId: number,
    agentId: string,
    { conversation_id, is_private }: Pick<Draft, "conversation_id" | "is_private">,
    basedOn: BasedOn,
  ): Promise<boolean> => {
    const values = [accountId, agentId, conversation_id, is_private, ...conditionOf(basedOn)];
    return (await db.one(REMOVE, values)) !== undefined;
  },
  /** -> whether there was a draft of a reply or a note */
  removeBoth: async (accountId: number, agentId: string, conversationId: string): Promise<boolean> =>
    (await db.rows(REMOVE_BOTH, [accountId, agentId, conversationId])).length > 0,
});
export type DraftStore = ReturnType<typeof draftStore>;

/** Erases what agents have begun to write to a deleted user. */
export const draftEraser: PersonalDataEraser = {
  async user(tx, _accountId, [body]) {
    const { id } = JSON.parse(body ?? "{}") as { readonly id?: string };
    // First the table that a trigger copies.
    await tx.rows(ERASE_PREVIOUS, [id ?? null]);
    await tx.rows(ERASE, [id ?? null]);
  },
};
