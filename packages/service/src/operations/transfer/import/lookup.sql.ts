import { statement, type Db, arrayLiteral } from "@parley/database";
import type { ConversationState } from "../../../messaging/conversations/transitions.ts";
import { NUMBER_RANGE_SIZE } from "../../../messaging/conversations/store.ts";

/** An existing user. @shape body: JSON text */
export interface ExistingUser {
  readonly id: string;
  readonly account_id: number;
  readonly is_deleted: boolean;
  readonly body: string;
}

/** An existing conversation. @shape properties: JSON text of an object */
export interface ExistingConversation extends ConversationState {
  readonly id: string;
  readonly account_id: number;
  readonly number: number;
  readonly user_id: string;
  readonly channel_id: string;
  readonly created_time: Date;
  readonly updated_time: Date;
  readonly interaction_id: string;
  readonly properties: string;
}

/** An existing message. @shape body: JSON text */
export interface ExistingMessage {
  readonly id: string;
  readonly conversation_id: string;
  readonly body: string;
}

const USERS = statement(
  "look_users",
  `select id, account_id, deleted_time is not null as is_deleted, body from users where id = any($1::uuid[])`,
);
const USER_IDS = statement("look_user_ids", `select id from users where id = any($2::uuid[]) and account_id = $1`);
const CONVERSATIONS = statement(
  "look_conversations",
  `select id, account_id, number, user_id, channel_id, created_time, updated_time, status, assigned_agent_id, assigned_group_id,
          interaction_id, properties, restricted
     from conversations
    where id = any($1::uuid[])`,
);
// Numbers in this database's own range are reserved: a process may hold them, or the sequence may return them later.
const FREE_NUMBERS = statement(
  "look_free_numbers",
  `select asked.number
     from unnest($1::bigint[]) as asked (number)
    cross join (select last_value / ${NUMBER_RANGE_SIZE} as range from conversation_numbers) own
    where asked.number / ${NUMBER_RANGE_SIZE} <> own.range
      and not exists (select from conversations where conversations.number = asked.number)`,
);
const MESSAGES = statement(
  "look_messages",
  `select id, conversation_id, body from messages where id = any($1::uuid[])`,
);

/** Finds the existing rows that records refer to, by primary key. */
export const importLookupStore = (db: Db) => {
  const among = async <T extends { readonly id: string }>(text: typeof USERS, ids: readonly string[]) => {
    if (ids.length === 0) return new Map<string, T>();
    return new Map((await db.rows<T>(text, [arrayLiteral(ids)])).map((row) => [row.id, row]));
  };
  return {
    users: (ids: readonly string[]) => among<ExistingUser>(USERS, ids),
    conversations: (ids: readonly string[]) => among<ExistingConversation>(CONVERSATIONS, ids),
    /** -> the numbers that an imported conversation can keep */
    freeNumbers: async (numbers: readonly number[]): Promise<ReadonlySet<number>> => {
      if (numbers.length === 0) return new Set();
      const rows = await db.rows<{ number: number }>(FREE_NUMBERS, [arrayLiteral(numbers)]);
      return new Set(rows.map(({ number }) => Number(number)));
    },
    messages: (ids: readonly string[]) => among<ExistingMessage>(MESSAGES, ids),
    /** -> the ids that belong to the account */
    userIds: async (accountId: number, ids: readonly string[]): Promise<ReadonlySet<string>> => {
      if (ids.length === 0) return new Set();
      const rows = await db.rows<{ id: string }>(USER_IDS, [accountId, arrayLiteral(ids)]);
      return new Set(rows.map(({ id }) => id));
    },
  };
};
export type ImportLookupStore = ReturnType<typeof importLookupStore>;
