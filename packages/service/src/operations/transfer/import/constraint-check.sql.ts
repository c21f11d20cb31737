import { statement, type Connection, type Db, arrayLiteral } from "@parley/database";
import type { ImportedConversationRow } from "../../../messaging/conversations/import.sql.ts";
import type { ImportLookupStore } from "./lookup.sql.ts";

/** A dry run keeps the ids that it has checked in temporary tables of its connection. Their size is that of the file. */
const TABLES = `
  create temporary table checked_users (id uuid primary key);
  create temporary table checked_conversations (
    id uuid primary key, account_id integer, user_id uuid, channel_id uuid, created_time timestamptz(3), updated_time timestamptz(3),
    status text, assigned_agent_id uuid, assigned_group_id uuid, interaction_id text, properties text, restricted boolean
  )`;

const ADD_USERS = statement(
  "add_checked_users",
  `insert into checked_users select * from unnest($1::uuid[]) on conflict do nothing`,
);
const ADD_CONVERSATIONS = statement(
  "add_checked_conversations",
  `insert into checked_conversations
   select r.* from json_populate_recordset(null::checked_conversations, $1) r
       on conflict do nothing`,
);
const USERS = statement("checked_users", `select id from checked_users where id = any($1::uuid[])`);
const CONVERSATIONS = statement(
  "checked_conversations",
  `select * from checked_conversations where id = any($1::uuid[])`,
);

export const createCheckTables = (connection: Connection) => connection.script(TABLES);

/** Looks up existing rows and the rows that a dry run has checked. */
export const lookupsWithChecked = (db: Db, lookups: ImportLookupStore): ImportLookupStore => ({
  ...lookups,
  userIds: async (accountId, ids) => {
    const [existing, checked] = await Promise.all([
      lookups.userIds(accountId, ids),
      db.rows<{ id: string }>(USERS, [arrayLiteral(ids)]),
    ]);
    return new Set([...existing, ...checked.map(({ id }) => id)]);
  },
  conversations: async (ids) => {
    const existing = await lookups.conversations(ids);
    const missing = ids.filter((id) => !existing.has(id));
    if (missing.length === 0) return existing;
    type Found = typeof existing extends Map<string, infer R> ? R : never;
    const checked = await db.rows<Found>(CONVERSATIONS, [arrayLiteral(missing)]);
    return new Map([...existing, ...checked.map((row) => [row.id, row] as const)]);
  },
});

/** Records the rows that a batch would have written. */
export const recordChecked = async (
  db: Db,
  accountId: number,
  {
    users,
    conversations,
  }: { readonly users: readonly string[]; readonly conversations: readonly ImportedConversationRow[] },
): Promise<void> => {
  const rows = conversations.map((row) => ({ ...row, account_id: accountId }));
  await Promise.all([
    users.length > 0 && db.rows(ADD_USERS, [arrayLiteral(users)]),
    rows.length > 0 && db.rows(ADD_CONVERSATIONS, [JSON.stringify(rows)]),
  ]);
};
