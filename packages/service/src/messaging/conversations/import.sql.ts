import { statement, type Db, joinLines, arrayLiteral } from "@parley/database";
import type { ConversationState } from "./transitions.ts";

/** A conversation with the values of its record. @shape properties: JSON text of an object */
export interface ImportedConversationRow extends ConversationState {
  readonly id: string;
  readonly number: number;
  readonly user_id: string;
  readonly channel_id: string;
  readonly created_time: string;
  readonly updated_time: string;
  readonly interaction_id: string;
  readonly properties: string;
}

/** The next revision of a conversation. An absent interaction id or absent properties stay as they are. */
interface ChangedConversationRow extends ConversationState {
  readonly id: string;
  readonly channel_id: string;
  readonly created_time: string;
  readonly updated_time: string;
  readonly interaction_id?: string | undefined;
  readonly properties?: object | undefined;
}

/** A message with the values of its record. @shape body: JSON text */
export interface ImportedMessageRow {
  readonly id: string;
  readonly conversation_id: string;
  readonly created_time: string;
  readonly interaction_id: string;
  readonly body: string;
}

// Each value of the sequence stands for a block of numbers, as in the processes of the service.
const NUMBERS = statement(
  "insert_numbers",
  `select nextval('conversation_numbers') as first from generate_series(1, $1::integer)`,
);
/** Numbers per block: the increment of the sequence. */
const NUMBERS_PER_BLOCK = 64;

const CONVERSATIONS = statement(
  "insert_conversations",
  `insert into conversations (account_id, id, number, user_id, channel_id, created_time, updated_time, status,
                              assigned_agent_id, assigned_group_id, interaction_id, properties, restricted)
   select $1, id, number, user_id, channel_id, created_time, updated_time, status, agent_id, group_id, interaction_id, properties,
          restricted
     from unnest($2::uuid[], $3::bigint[], $4::uuid[], $5::uuid[], $6::timestamptz[], $7::timestamptz[], $8::text[], $9::uuid[],
                 $10::uuid[], $11::text[], string_to_array($12, e'\\n'), $13::boolean[])
          as c (id, number, user_id, channel_id, created_time, updated_time, status, agent_id, group_id, interaction_id, properties,
                restricted)`,
);
const MESSAGES = statement(
  "insert_messages",
  `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
   select id, conversation_id, nextval('log_positions'), created_time, interaction_id, body
     from (
       select *
         from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], string_to_array($5, e'\\n'))
              with ordinality as m (id, conversation_id, created_time, interaction_id, body, place)
        order by place
     ) as message`,
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

/** Writes imported conversations and messages. No events are written. Every function sends its statements before it returns. */
export const conversationImportStore = (db: Db) => ({
  /** -> unique conversation numbers, `count` or more */
  numbers: async (count: number): Promise<number[]> => {
    const blocks = await db.rows<{ first: number }>(NUMBERS, [Math.ceil(count / NUMBERS_PER_BLOCK)]);
    return blocks.flatMap(({ first }) =>
      Array.from({ length: NUMBERS_PER_BLOCK }, (_, index) => Number(first) + index),
    );
  },
  insertConversations: (accountId: number, rows: readonly ImportedConversationRow[]) =>
    db.rows(CONVERSATIONS, [
      accountId,
      arrayLiteral(rows.map(({ id }) => id)),
      arrayLiteral(rows.map(({ number }) => number)),
      arrayLiteral(rows.map(({ user_id }) => user_id)),
      arrayLiteral(rows.map(({ channel_id }) => channel_id)),
      arrayLiteral(rows.map(({ created_time }) => created_time)),
      arrayLiteral(rows.map(({ updated_time }) => updated_time)),
      arrayLiteral(rows.map(({ status }) => status)),
      arrayLiteral(rows.map(({ assigned_agent_id }) => assigned_agent_id)),
      arrayLiteral(rows.map(({ assigned_group_id }) => assigned_group_id)),
      arrayLiteral(rows.map(({ interaction_id }) => interaction_id)),
      joinLines(rows.map(({ properties }) => properties)),
      arrayLiteral(rows.map(({ restricted }) => restricted)),
    ]),
  /** The order of the list becomes the order of the messages in their conversations. */
  insertMessages: (rows: readonly ImportedMessageRow[]) =>
    db.rows(MESSAGES, [
      arrayLiteral(rows.map(({ id }) => id)),
      arrayLiteral(rows.map(({ conversation_id }) => conversation_id)),
      arrayLiteral(rows.map(({ created_time }) => created_time)),
      arrayLiteral(rows.map(({ interaction_id }) => interaction_id)),
      joinLines(rows.map(({ body }) => body)),
    ]),
  changeConversation: async (accountId: number, row: ChangedConversationRow): Promise<void> => {
    await Promise.all([
      db.rows(KEEP_CONVERSATION, [accountId, row.id]),
      db.rows(CHANGE_CONVERSATION, [
        accountId,
        row.id,
        row.channel_id,
        row.created_time,
        row.updated_time,
        row.status,
        row.assigned_agent_id,
        row.assigned_group_id,
        row.interaction_id,
        row.properties && JSON.stringify(row.properties),
        row.restricted,
      ]),
    ]);
  },
  changeMessage: (row: {
    readonly id: string;
    readonly conversation_id: string;
    readonly created_time: string;
    readonly interaction_id: string;
    readonly body: string;
  }) => db.rows(CHANGE_MESSAGE, [row.id, row.conversation_id, row.created_time, row.interaction_id, row.body]),
  /** Raises the update time of conversations to that of their last message. */
  touch: (times: ReadonlyMap<string, string>) =>
    db.rows(TOUCH, [arrayLiteral([...times.keys()]), arrayLiteral([...times.values()])]),
});
