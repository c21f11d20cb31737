import type { Message, User } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { ConversationRow } from "../../messaging/conversations/store.ts";
import {
  assigneeMarks,
  fieldsOfConversation,
  fieldsOfMessage,
  fieldsOfUser,
  markOf,
  wordsOf,
  type DocumentKind,
  type IndexedDocument,
} from "./documents.ts";

/** A stored message with what decides who reaches it. */
interface StoredMessage {
  readonly account_id: number;
  readonly id: string;
  readonly created_time: Date;
  /** JSON text. */
  readonly body: string;
  readonly conversation_id: string;
  readonly channel_id: string;
  readonly assigned_agent_id: string | null;
  readonly assigned_group_id: string | null;
}

/** A stored user with the assignees of the user's conversations. */
interface StoredUser {
  readonly account_id: number;
  readonly id: string;
  readonly created_time: Date;
  /** JSON text. */
  readonly body: string;
  readonly agents: readonly string[];
  readonly groups: readonly string[];
}

/** A stored conversation with its user's JSON text; null for a deleted user. */
export interface StoredConversation extends ConversationRow {
  readonly user_body: string | null;
}

// Lateral lookups by key, even if the statistics are from empty tables.
const MESSAGES = statement(
  "search_messages",
  `select c.account_id, m.id, m.created_time, m.body, c.id as conversation_id, c.channel_id,
          c.assigned_agent_id, c.assigned_group_id
     from unnest($1::uuid[]) as asked (id)
    cross join lateral (select * from messages where id = asked.id limit 1) m
    cross join lateral (select * from conversations where id = m.conversation_id limit 1) c`,
);
const assigneesOfUser = (column: string) =>
  `array(select distinct ${column}::text from conversations c where c.user_id = u.id and ${column} is not null)`;
const USERS = statement(
  "search_users",
  `select u.account_id, u.id, u.created_time, u.body,
          ${assigneesOfUser("assigned_agent_id")} as agents, ${assigneesOfUser("assigned_group_id")} as groups
     from unnest($1::uuid[]) as asked (id)
    cross join lateral (select * from users where id = asked.id limit 1) u
    where u.deleted_time is null`,
);
const CONVERSATIONS = statement(
  "search_conversations",
  `select c.id, c.account_id, c.number, c.user_id, c.channel_id, c.created_time, c.updated_time, c.revision, c.status,
          c.assigned_agent_id, c.assigned_group_id, c.interaction_id, c.properties, c.restricted, u.body as user_body
     from unnest($1::uuid[]) as asked (id)
    cross join lateral (select * from conversations where id = asked.id limit 1) c
     left join lateral (select body from users where id = c.user_id and deleted_time is null limit 1) u on true`,
);

/** Reads of the objects that documents are made of. */
export const sourceStore = (db: Db) => ({
  messages: (ids: readonly string[]) => db.rows<StoredMessage>(MESSAGES, [ids]),
  users: (ids: readonly string[]) => db.rows<StoredUser>(USERS, [ids]),
  conversations: (ids: readonly string[]) => db.rows<StoredConversation>(CONVERSATIONS, [ids]),
});

/** A document with its account. */
export interface AccountIndexedDocument extends IndexedDocument {
  readonly account_id: number;
}

const documentOfMessage = (row: StoredMessage): AccountIndexedDocument => ({
  account_id: row.account_id,
  time: row.created_time.getTime(),
  id: row.id,
  owner: row.conversation_id,
  marks: [
    markOf("conversation", row.conversation_id),
    markOf("channel", row.channel_id),
    ...assigneeMarks([row.assigned_agent_id], [row.assigned_group_id]),
  ],
  words: wordsOf(fieldsOfMessage(JSON.parse(row.body) as Message)),
});

const documentOfUser = (row: StoredUser): AccountIndexedDocument => ({
  account_id: row.account_id,
  time: row.created_time.getTime(),
  id: row.id,
  owner: row.id,
  marks: [markOf("user", row.id), ...assigneeMarks(row.agents, row.groups)],
  words: wordsOf(fieldsOfUser(JSON.parse(row.body) as User)),
});

const documentOfConversation = (row: StoredConversation): AccountIndexedDocument => ({
  account_id: row.account_id,
  time: row.created_time.getTime(),
  id: row.id,
  owner: row.id,
  marks: [
    markOf("conversation", row.id),
    markOf("channel", row.channel_id),
    ...assigneeMarks([row.assigned_agent_id], [row.assigned_group_id]),
  ],
  words: wordsOf(fieldsOfConversation(row)),
});

/** Reads objects as documents. Objects without words are left out. */
export const readDocuments = async (
  db: Db,
  kind: DocumentKind,
  ids: readonly string[],
): Promise<readonly AccountIndexedDocument[]> => {
  if (ids.length === 0) return [];
  const source = sourceStore(db);
  const documents = {
    1: async () => (await source.messages(ids)).map(documentOfMessage),
    2: async () => (await source.users(ids)).map(documentOfUser),
    3: async () => (await source.conversations(ids)).map(documentOfConversation),
  };
  return (await documents[kind]()).filter(({ words }) => words.length > 0);
};
