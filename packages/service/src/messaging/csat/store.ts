import { statement, type Db } from "@parley/database";

/** A customer's rating of one interaction. */
export interface CsatRow {
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly created_time: Date;
  readonly issue_resolved: boolean;
  readonly rating: number | undefined;
  readonly additional_feedback: string | undefined;
  readonly reopened: boolean;
  readonly agent_id: string | null;
  readonly agent_internal_id: number | undefined;
}

// The lock serializes with a deletion of the user. After a deletion the revision differs, and nothing is written.
const ADD = statement(
  "add_csat",
  `insert into csat (account_id, conversation_id, interaction_id, created_time, issue_resolved, rating, additional_feedback,
                     reopened, agent_id, agent_internal_id)
   select c.account_id, c.id, $3, $4, $5, $6, $7, $8, $9, $10
     from conversations c
    where c.id = $1 and c.revision = $2
      for key share
   returning id`,
);

/**
 * Inserts a row of the table `csat`. -> its id; undefined if the conversation has another revision and nothing was
 * written
 */
export const addCsat = async (db: Db, row: CsatRow, revision: number): Promise<number | undefined> =>
  (
    await db.one<{ id: number }>(ADD, [
      row.conversation_id,
      revision,
      row.interaction_id,
      row.created_time,
      row.issue_resolved,
      row.rating,
      row.additional_feedback,
      row.reopened,
      row.agent_id,
      row.agent_internal_id,
    ])
  )?.id;

/** A rating to be written as it is. */
export interface NewCsatRow {
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly created_time: string;
  readonly issue_resolved: boolean;
  readonly rating?: number | undefined;
  readonly additional_feedback?: string | undefined;
  readonly reopened: boolean;
  readonly agent_id: string | null;
  readonly agent_internal_id?: number | undefined;
}

const ADD_CSAT = statement(
  "add_imported_csat",
  `with added as (
     insert into csat (account_id, conversation_id, interaction_id, created_time, issue_resolved, rating, additional_feedback, reopened,
                       agent_id, agent_internal_id)
     select $1, r.conversation_id, r.interaction_id, r.created_time, r.issue_resolved, r.rating, r.additional_feedback, r.reopened,
            r.agent_id, r.agent_internal_id
       from json_populate_recordset(null::csat, $2) r
      where not exists (
              select from csat c
               where c.conversation_id = r.conversation_id and c.interaction_id = r.interaction_id
                 and c.created_time = r.created_time)
     returning id
   )
   select count(*)::integer as count from added`,
);

/** Inserts imported ratings. -> how many did not exist */
export const importCsat = async (db: Db, accountId: number, rows: readonly NewCsatRow[]): Promise<number> =>
  (await db.one<{ count: number }>(ADD_CSAT, [accountId, JSON.stringify(rows)]))?.count ?? 0;

const ERASE_FEEDBACK = statement(
  "",
  `update csat
      set additional_feedback = null
     from conversations
    where conversations.user_id = $1 and csat.conversation_id = conversations.id and csat.additional_feedback is not null`,
);

/** Erases what a deleted user wrote with ratings. */
export const eraseCsatFeedback = (tx: Db, userId: string): Promise<unknown> => tx.rows(ERASE_FEEDBACK, [userId]);
