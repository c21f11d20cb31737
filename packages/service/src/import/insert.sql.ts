import { statement, type Connection, type Db } from "@parley/database";
import type { User } from "@parley/contract";
import type { ConversationState } from "../conversations/transitions.ts";
import { joinLines, arrayLiteral } from "../db/arrays.ts";

const BEGIN = statement("", "begin");
const COMMIT = statement("", "commit");
const ROLLBACK = statement("", "rollback");

/**
 * Sends statements as one transaction without waiting in between. Statements that are sent later run after the transaction.
 * @shape send: sends all statements before it returns; -> their results
 * @errors the error of the first failing statement; nothing is written then, since the commit after it rolls back
 */
export const inPipelinedTransaction = async <T>(
  connection: Connection,
  send: () => readonly Promise<T>[],
): Promise<readonly T[]> => {
  const began = connection.rows(BEGIN, []);
  let sent: readonly Promise<T>[];
  try {
    sent = send();
  } catch (error) {
    await Promise.all([began, connection.rows(ROLLBACK, [])]);
    throw error;
  }
  const [results] = await Promise.all([Promise.all(sent), began, connection.rows(COMMIT, [])]);
  return results;
};

/** A user with the values of its record. @shape body: JSON text */
export interface ImportedUserRow extends Pick<User, "id" | "created_time" | "updated_time">, Partial<UserFields> {
  readonly deleted_time?: string | null;
  readonly body: string;
}
type UserFields = Pick<User, "first_name" | "last_name" | "email" | "phone" | "reference_id">;

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

const USERS = statement(
  "insert_users",
  `insert into users (account_id, id, created_time, updated_time, first_name, last_name, email, phone, reference_id, deleted_time,
                      body)
   select $1, id, created_time, updated_time, first_name, last_name, email, phone, reference_id, deleted_time, body
     from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
                 $10::timestamptz[], string_to_array($11, e'\\n'))
          as u (id, created_time, updated_time, first_name, last_name, email, phone, reference_id, deleted_time, body)`,
);
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
     ) as said`,
);

/** Bulk inserts of imported rows. They add nothing to the event log. */
export const insertStore = (db: Db) => ({
  /** -> unique conversation numbers, `count` or more */
  numbers: async (count: number): Promise<number[]> => {
    const blocks = await db.rows<{ first: number }>(NUMBERS, [Math.ceil(count / NUMBERS_PER_BLOCK)]);
    return blocks.flatMap(({ first }) =>
      Array.from({ length: NUMBERS_PER_BLOCK }, (_, index) => Number(first) + index),
    );
  },
  users: (accountId: number, users: readonly ImportedUserRow[]) =>
    db.rows(USERS, [
      accountId,
      arrayLiteral(users.map(({ id }) => id)),
      arrayLiteral(users.map(({ created_time }) => created_time)),
      arrayLiteral(users.map(({ updated_time }) => updated_time)),
      users.map(({ first_name }) => first_name ?? null),
      users.map(({ last_name }) => last_name ?? null),
      users.map(({ email }) => email ?? null),
      users.map(({ phone }) => phone ?? null),
      users.map(({ reference_id }) => reference_id ?? null),
      arrayLiteral(users.map(({ deleted_time }) => deleted_time ?? null)),
      joinLines(users.map(({ body }) => body)),
    ]),
  conversations: (accountId: number, rows: readonly ImportedConversationRow[]) =>
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
  messages: (rows: readonly ImportedMessageRow[]) =>
    db.rows(MESSAGES, [
      arrayLiteral(rows.map(({ id }) => id)),
      arrayLiteral(rows.map(({ conversation_id }) => conversation_id)),
      arrayLiteral(rows.map(({ created_time }) => created_time)),
      arrayLiteral(rows.map(({ interaction_id }) => interaction_id)),
      joinLines(rows.map(({ body }) => body)),
    ]),
});
