import { statement, type Connection, type Db } from "@parley/database";
import { arrayLiteral } from "../db/arrays.ts";
import type { ImportedConversationRow } from "./insert.sql.ts";
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

export const prepareChecked = (connection: Connection) => connection.script(TABLES);

/** Looks up existing rows and the rows that a dry run has checked. */
export const checkedLook = (db: Db, look: ImportLookupStore): ImportLookupStore => ({
  ...look,
  userIds: async (accountId, ids) => {
    const [there, seen] = await Promise.all([
      look.userIds(accountId, ids),
      db.rows<{ id: string }>(USERS, [arrayLiteral(ids)]),
    ]);
    return new Set([...there, ...seen.map(({ id }) => id)]);
  },
  conversations: async (ids) => {
    const there = await look.conversations(ids);
    const left = ids.filter((id) => !there.has(id));
    if (left.length === 0) return there;
    type Found = typeof there extends Map<string, infer R> ? R : never;
    const seen = await db.rows<Found>(CONVERSATIONS, [arrayLiteral(left)]);
    return new Map([...there, ...seen.map((row) => [row.id, row] as const)]);
  },
});

/** Records the rows that a batch would have written. */
export const noteChecked = async (
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
