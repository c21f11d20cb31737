import type { AccountConfiguration, BusinessHours, Channel, Field, Group, Role, Template } from "@parley/contract";
import { statement, type Db, type Statement } from "@parley/database";
import type { AccountSettingsRow } from "../../../messaging/accounts/store.ts";
import { followDirectory } from "../../../identity/agents/store.ts";
import { PUT_TEMPLATES, REMOVE_TEMPLATES } from "../../../messaging/outbound/templates.sql.ts";
import { readMessengerSettings } from "./messenger-setting.sql.ts";
import {
  templateId,
  type AccountLists,
  type AccountState,
  type AccountTemplate,
  type AgentStatusSetting,
  type BusinessHoursSetting,
  type ChannelTopic,
  type ListChanges,
} from "./sections/state.ts";

const CHANNELS = statement(
  "setup_channels",
  `select account_id, id, locale, body from channels where account_id = any($1::integer[]) order by updated_time, id, locale`,
);
const GROUPS = statement(
  "setup_groups",
  `select account_id, org_id, signed_in_agents_only, body from groups where account_id = any($1::integer[]) order by name, id`,
);
const ROLES = statement(
  "setup_roles",
  `select account_id, body from roles where account_id = any($1::integer[]) order by name, id`,
);
const STATUSES = statement(
  "setup_statuses",
  `select account_id, id, name, availability_status from agent_statuses where account_id = any($1::integer[]) order by name, id`,
);
const FIELDS = statement(
  "setup_fields",
  `select account_id, body from fields where account_id = any($1::integer[]) order by position, id`,
);
const TEMPLATES = statement(
  "setup_templates",
  `select account_id, body from templates where account_id = any($1::integer[]) order by namespace, name, language`,
);
const HOURS = statement(
  "setup_business_hours",
  `select h.account_id, coalesce(h.group_id::text, '') as id, h.body
     from business_hours h
     left join groups g on g.account_id = h.account_id and g.id = h.group_id
    where h.account_id = any($1::integer[])
    order by g.name nulls first, h.group_id`,
);

interface Body {
  readonly body: string;
}
const parsed = <T>({ body }: Body): T => JSON.parse(body) as T;

/** Groups the rows of a topic, one per language. */
const topicsOf = (rows: readonly (Body & { readonly id: string; readonly locale: string })[]): ChannelTopic[] => {
  const topics = new Map<string, ChannelTopic>();
  for (const row of rows) {
    const { id, updated_time, icon, enabled, public: shown, tags, name, welcome_message } = parsed<Channel>(row);
    const text = { name, ...(welcome_message && { welcome_message }) };
    const texts = { ...topics.get(row.id)?.texts, [row.locale]: text };
    topics.set(row.id, { id, updated_time, icon, enabled, public: shown, tags, texts });
  }
  return [...topics.values()];
};

/** Reads accounts with their lists, in the order of the rows. */
export const readStates = async (db: Db, accounts: readonly AccountSettingsRow[]): Promise<AccountState[]> => {
  const ids = accounts.map(({ id }) => id);
  const [listsOf, messengerOf] = await Promise.all([readLists(db, ids), readMessengerSettings(db, ids)]);
  return accounts.map(({ id, name, configuration, ...row }) => ({
    name,
    configuration: JSON.parse(configuration) as AccountConfiguration,
    primary_locale: row.primary_locale,
    calls_per_hour: row.calls_per_hour,
    automatic_assignment: row.automatic_assignment,
    messenger: messengerOf(id),
    lists: listsOf(id),
  }));
};

/** Reads an account with its lists. */
export const readState = async (db: Db, account: AccountSettingsRow): Promise<AccountState> => {
  const [state] = await readStates(db, [account]);
  if (!state) throw new Error("Each account has a state.");
  return state;
};

/** Reads rows of several accounts. -> those of one account, in their order, without its id */
const readByAccount = async <T extends object>(
  db: Db,
  text: Statement,
  accountIds: readonly number[],
): Promise<(accountId: number) => readonly T[]> => {
  const byAccount = new Map<number, T[]>();
  for (const { account_id, ...row } of await db.rows<T & { account_id: number }>(text, [accountIds])) {
    const own = byAccount.get(account_id);
    if (own) own.push(row as unknown as T);
    else byAccount.set(account_id, [row as unknown as T]);
  }
  return (accountId) => byAccount.get(accountId) ?? [];
};

/** Reads the lists of accounts. The result is a consistent snapshot inside a transaction that holds the locks of the accounts. */
async function readLists(db: Db, accountIds: readonly number[]): Promise<(accountId: number) => AccountLists> {
  const rows = <T extends object>(text: Statement) => readByAccount<T>(db, text, accountIds);
  const [channels, groups, roles, statuses, fields, templates, hours] = await Promise.all([
    rows<Body & { id: string; locale: string }>(CHANNELS),
    rows<Body & { org_id: string | null; signed_in_agents_only: boolean }>(GROUPS),
    rows<Body>(ROLES),
    rows<AgentStatusSetting>(STATUSES),
    rows<Body>(FIELDS),
    rows<Body>(TEMPLATES),
    rows<Body & { id: string }>(HOURS),
  ]);
  return (accountId) => ({
    channels: topicsOf(channels(accountId)),
    groups: groups(accountId).map((row) => ({
      ...parsed<Group>(row),
      signed_in_agents_only: row.signed_in_agents_only,
      ...(row.org_id !== null && { org_id: row.org_id }),
    })),
    roles: roles(accountId).map((row) => parsed<Role>(row)),
    statuses: statuses(accountId),
    fields: fields(accountId).map((row) => parsed<Field>(row)),
    templates: templates(accountId).map((row) => {
      const template = parsed<Template>(row);
      return { ...template, id: templateId(template) };
    }),
    business_hours: hours(accountId).map((row) => {
      const { group: _, ...own } = parsed<BusinessHours>(row);
      return { ...own, id: row.id };
    }),
  });
}

const PUT_CHANNELS = statement(
  "put_channels",
  `insert into channels (account_id, id, locale, name, enabled, public, updated_time, body)
   select $1, r.id, r.locale, r.name, r.enabled, r.public, r.updated_time, r.body
     from json_to_recordset($2) as r(id uuid, locale text, name text, enabled boolean, public boolean,
                                     updated_time timestamptz, body text)`,
);
const PUT_GROUPS = statement(
  "put_groups",
  `insert into groups (account_id, id, org_id, name, signed_in_agents_only, body)
   select $1, r.id, r.org_id, r.name, r.signed_in_agents_only, r.body
     from json_to_recordset($2) as r(id uuid, org_id text, name text, signed_in_agents_only boolean, body text)
       on conflict (account_id, id)
       do update set org_id = excluded.org_id, name = excluded.name, body = excluded.body,
                  signed_in_agents_only = excluded.signed_in_agents_only`,
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
  await put(PUT_GROUPS, rowsOf(lists.groups.put, "org_id", "signed_in_agents_only"));
  await put(PUT_ROLES, rowsOf(lists.roles.put));
  await put(PUT_STATUSES, lists.statuses.put);
  await put(PUT_FIELDS, rowsOf(lists.fields.put));
  await put(PUT_TEMPLATES, rowsOf<AccountTemplate>(lists.templates.put, "id"));
  await put(PUT_HOURS, rowsOf<BusinessHoursSetting>(lists.business_hours.put, "id"));
  await followDirectory(tx, accountId, { roles: lists.roles.put, statuses: lists.statuses.put });
}
