import type { User } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import { arrayLiteral } from "../db/arrays.ts";
import type { ConversationOfRecord } from "./record-fields.ts";

/** A user in its next revision. @shape body: JSON text */
export interface ChangedUserRow {
  readonly user: User;
  readonly body: string;
}

/** A rating with the values of its record. */
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

/** Metadata of a file. @shape body: JSON text */
export interface NewUploadRow {
  readonly id: string;
  readonly kind: "image" | "file";
  readonly created_time: string;
  readonly object_key: string;
  readonly body: string;
}

// Events refer to the revision at their time. The present revision is copied before it is replaced.
const KEEP_USER = statement(
  "keep_imported_user",
  `insert into user_revisions (user_id, revision, body)
   select id, revision, body from users where account_id = $1 and id = $2 for no key update`,
);
const CHANGE_USER = statement(
  "change_imported_user",
  `update users
      set revision = revision + 1, created_time = $3, updated_time = $4, first_name = $5, last_name = $6, email = $7, phone = $8,
          reference_id = $9, body = $10
    where account_id = $1 and id = $2`,
);
const KEEP_CONVERSATION = statement(
  "keep_imported_conversation",
  `insert into conversation_revisions (conversation_id, revision, status, assigned_agent_id, assigned_group_id, interaction_id,
                                       properties)
   select id, revision, status, assigned_agent_id, assigned_group_id, interaction_id, properties
     from conversations
    where account_id = $1 and id = $2
      for no key update`,
);
const CHANGE_CONVERSATION = statement(
  "change_imported_conversation",
  `update conversations
      set revision = revision + 1, channel_id = $3, created_time = $4, updated_time = greatest(updated_time, $5::timestamptz),
          status = $6, assigned_agent_id = $7, assigned_group_id = $8, interaction_id = coalesce($9, interaction_id),
          properties = coalesce($10, properties), restricted = $11
    where account_id = $1 and id = $2`,
);
const CHANGE_MESSAGE = statement(
  "change_imported_message",
  `update messages set created_time = $3, interaction_id = $4, body = $5 where id = $1 and conversation_id = $2`,
);
const TOUCH = statement(
  "touch_imported_conversations",
  `update conversations c
      set updated_time = t.updated_time
     from unnest($1::uuid[], $2::timestamptz[]) as t (id, updated_time)
    where c.id = t.id and c.updated_time < t.updated_time`,
);
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
const ADD_UPLOADS = statement(
  "add_imported_uploads",
  `with added as (
     insert into uploads (id, account_id, kind, created_time, object_key, body)
     select r.id, $1, r.kind, r.created_time, r.object_key, r.body from json_populate_recordset(null::uploads, $2) r
         on conflict do nothing
     returning id
   )
   select count(*)::integer as count from added`,
);

const counted = async (rows: Promise<{ count: number } | undefined>): Promise<number> => (await rows)?.count ?? 0;

/** Updates existing rows, and inserts rows of the small tables. Each function sends its statements before it returns. */
export const importChangeStore = (db: Db) => ({
  user: async (accountId: number, { user, body }: ChangedUserRow): Promise<void> => {
    const { id, created_time, updated_time, first_name, last_name, email, phone, reference_id } = user;
    const named = [first_name, last_name, email, phone, reference_id];
    await Promise.all([
      db.rows(KEEP_USER, [accountId, id]),
      db.rows(CHANGE_USER, [accountId, id, created_time, updated_time, ...named, body]),
    ]);
  },
  conversation: async (accountId: number, conversation: ConversationOfRecord): Promise<void> => {
    await Promise.all([
      db.rows(KEEP_CONVERSATION, [accountId, conversation.id]),
      db.rows(CHANGE_CONVERSATION, [
        accountId,
        conversation.id,
        conversation.channel_id,
        conversation.created_time,
        conversation.updated_time,
        conversation.status,
        conversation.assigned_agent_id,
        conversation.assigned_group_id,
        conversation.interaction_id,
        conversation.properties && JSON.stringify(conversation.properties),
        conversation.restricted,
      ]),
    ]);
  },
  message: (row: {
    readonly id: string;
    readonly conversation_id: string;
    readonly created_time: string;
    readonly interaction_id: string;
    readonly body: string;
  }) => db.rows(CHANGE_MESSAGE, [row.id, row.conversation_id, row.created_time, row.interaction_id, row.body]),
  /** Raises the updated_time of a conversation to the time of its last message. */
  touch: (times: ReadonlyMap<string, string>) =>
    db.rows(TOUCH, [arrayLiteral([...times.keys()]), arrayLiteral([...times.values()])]),
  /** -> the number of new rows */
  csat: (accountId: number, rows: readonly NewCsatRow[]) =>
    counted(db.one<{ count: number }>(ADD_CSAT, [accountId, JSON.stringify(rows)])),
  /** -> the number of new rows */
  uploads: (accountId: number, rows: readonly NewUploadRow[]) =>
    counted(db.one<{ count: number }>(ADD_UPLOADS, [accountId, JSON.stringify(rows)])),
});
