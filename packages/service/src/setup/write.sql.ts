import { statement, type Db, type Statement } from "@parley/database";
import { followDirectory } from "../agents/store.ts";
import { PUT_TEMPLATES, REMOVE_TEMPLATES } from "../outbound/templates.sql.ts";
import type { BusinessHoursSetting, AccountTemplate, ListChanges, ChannelTopic } from "./sections/state.ts";

const PUT_CHANNELS = statement(
  "put_channels",
  `insert into channels (account_id, id, locale, name, enabled, public, updated_time, body)
   select $1, r.id, r.locale, r.name, r.enabled, r.public, r.updated_time, r.body
     from json_to_recordset($2) as r(id uuid, locale text, name text, enabled boolean, public boolean,
                                     updated_time timestamptz, body text)`,
);
const PUT_GROUPS = statement(
  "put_groups",
  `insert into groups (account_id, id, org_id, name, body)
   select $1, r.id, r.org_id, r.name, r.body
     from json_to_recordset($2) as r(id uuid, org_id text, name text, body text)
       on conflict (account_id, id)
       do update set org_id = excluded.org_id, name = excluded.name, body = excluded.body`,
);
const PUT_ROLES = statement(
  "put_roles",
  `insert into roles (account_id, id, name, body)
   select $1, r.id, r.name, r.body from json_to_recordset($2) as r(id text, name text, body text)
       on conflict (account_id, id) do update set name = excluded.name, body = excluded.body`,
);
const PUT_STATUSES = statement(
  "put_statuses",
  `insert into agent_statuses (account_id, id, name, availability_status)
   select $1, r.id, r.name, r.availability_status
     from json_to_recordset($2) as r(id uuid, name text, availability_status text)
       on conflict (account_id, id)
       do update set name = excluded.name, availability_status = excluded.availability_status`,
);
const PUT_FIELDS = statement(
  "put_fields",
  `insert into fields (account_id, id, name, position, body)
   select $1, r.id, r.name, r.position, r.body
     from json_to_recordset($2) as r(id uuid, name text, position integer, body text)
       on conflict (account_id, id)
       do update set name = excluded.name, position = excluded.position, body = excluded.body`,
);
const PUT_HOURS = statement(
  "put_business_hours",
  `insert into business_hours (account_id, group_id, body)
   select $1, nullif(r.id, '')::uuid, r.body from json_to_recordset($2) as r(id text, body text)
       on conflict (account_id, group_id) do update set body = excluded.body`,
);

const REMOVE_CHANNELS = statement(
  "remove_channels",
  `delete from channels where account_id = $1 and id = any($2::text[]::uuid[])`,
);
const REMOVE_GROUPS = statement(
  "remove_groups",
  `delete from groups where account_id = $1 and id = any($2::text[]::uuid[])`,
);
const REMOVE_ROLES = statement("remove_roles", `delete from roles where account_id = $1 and id = any($2::text[])`);
const REMOVE_STATUSES = statement(
  "remove_statuses",
  `delete from agent_statuses where account_id = $1 and id = any($2::text[]::uuid[])`,
);
const REMOVE_FIELDS = statement(
  "remove_fields",
  `delete from fields where account_id = $1 and id = any($2::text[]::uuid[])`,
);
const REMOVE_HOURS = statement(
  "remove_business_hours",
  `delete from business_hours where account_id = $1 and coalesce(group_id::text, '') = any($2::text[])`,
);

/** Rows with their body as JSON. `hidden` members are stored in columns only, not in the body. */
const rowsOf = <T extends object>(items: readonly T[], ...hidden: readonly (keyof T)[]): object[] =>
  items.map((item) => ({
    ...item,
    body: JSON.stringify({ ...item, ...Object.fromEntries(hidden.map((name) => [name, undefined])) }),
  }));

const channelRows = (topics: readonly ChannelTopic[]): object[] =>
  topics.flatMap(({ texts, ...topic }) =>
    rowsOf(Object.entries(texts).map(([locale, words]) => ({ ...topic, ...words, locale }))),
  );

/** Writes the lists of one account. */
export async function writeLists(tx: Db, accountId: number, lists: ListChanges): Promise<void> {
  const remove = async (text: Statement, rows: readonly { readonly id: string }[]) => {
    if (rows.length > 0) await tx.rows(text, [accountId, rows.map(({ id }) => id)]);
  };
  const put = async (text: Statement, rows: readonly object[]) => {
    if (rows.length > 0) await tx.rows(text, [accountId, JSON.stringify(rows)]);
  };
  // The rows of a topic are replaced, since the topic may have lost a language.
  await remove(REMOVE_CHANNELS, [...lists.channels.removed, ...lists.channels.put]);
  await remove(REMOVE_GROUPS, lists.groups.removed);
  await remove(REMOVE_ROLES, lists.roles.removed);
  await remove(REMOVE_STATUSES, lists.statuses.removed);
  await remove(REMOVE_FIELDS, lists.fields.removed);
  await remove(REMOVE_TEMPLATES, lists.templates.removed);
  await remove(REMOVE_HOURS, lists.business_hours.removed);
  await put(PUT_CHANNELS, channelRows(lists.channels.put));
  await put(PUT_GROUPS, rowsOf(lists.groups.put, "org_id"));
  await put(PUT_ROLES, rowsOf(lists.roles.put));
  await put(PUT_STATUSES, lists.statuses.put);
  await put(PUT_FIELDS, rowsOf(lists.fields.put));
  await put(PUT_TEMPLATES, rowsOf<AccountTemplate>(lists.templates.put, "id"));
  await put(PUT_HOURS, rowsOf<BusinessHoursSetting>(lists.business_hours.put, "id"));
  await followDirectory(tx, accountId, { roles: lists.roles.put, statuses: lists.statuses.put });
}
