import {
  Channel,
  CHANNEL_SORT_FIELDS,
  type ChannelSortField,
  type Field,
  Group,
  GROUP_SORT_FIELDS,
  type GroupSortField,
  Role,
  ROLE_SORT_FIELDS,
  type RoleSortField,
} from "@parley/contract";
import { localesFrom } from "@parley/contract/display";
import { statement, type Db } from "@parley/database";
import {
  readPage,
  sortedPages,
  sortKey,
  sortsByField,
  type SortOrder,
  type Page,
  withoutNulls,
} from "../../base/db/page.ts";
import type { StoredChannel } from "./channel.ts";
import type { DirectoryChannel, DirectoryGroup } from "./directory.ts";

const ROLES = sortedPages("roles_page", {
  sorts: sortsByField(Role, ROLE_SORT_FIELDS, { name: sortKey("name") }),
  matching: `select id, name, body from roles where account_id = $3`,
});

const ROLE_NAMES = statement("role_names", `select id, name from roles where account_id = $1 order by id`);

/** Reads of the table `roles`. */
export const roleStore = (db: Db) => ({
  list: (accountId: number, page: Page, { by, order }: { readonly by: RoleSortField; readonly order: SortOrder }) =>
    readPage<Role>(db, ROLES(by, order), page, [accountId]),
  names: (accountId: number) => db.rows<Pick<Role, "id" | "name">>(ROLE_NAMES, [accountId]),
});
export type RoleStore = ReturnType<typeof roleStore>;

const FIELDS = statement("fields", `select body from fields where account_id = $1 order by position, id`);

/** Reads of the table `fields`: the properties of an account's conversations. */
export const fieldStore = (db: Db) => ({
  list: async (accountId: number): Promise<Field[]> =>
    (await db.rows<{ body: string }>(FIELDS, [accountId])).map(({ body }) => JSON.parse(body) as Field),
});
export type FieldStore = ReturnType<typeof fieldStore>;

const CHANNELS = sortedPages("channels_page", {
  sorts: sortsByField(Channel, CHANNEL_SORT_FIELDS, { name: sortKey("name"), updated_time: "updated_time" }),
  matching: `
    select distinct on (id) id, name, updated_time, body
      from channels
     where account_id = $3 and lower(locale) = any($4::text[])
     order by id, length(locale) desc`,
});
const PRIMARY_CHANNELS = statement(
  "primary_channels",
  `select c.id, c.name, c.enabled, c.public
     from channels c
     join accounts a on a.id = c.account_id and a.primary_locale = c.locale
    where c.account_id = $1`,
);

const ENABLED_CHANNELS = statement(
  "enabled_channels",
  `select locale, body from channels where account_id = $1 and enabled order by updated_time, id, locale`,
);

/** A topic in one language. */
export type LocalizedChannel = StoredChannel & { readonly locale: string };

interface ChannelSort {
  readonly by: ChannelSortField;
  readonly order: SortOrder;
}

/** Reads of the table `channels`: one row per language of a topic. */
export const channelStore = (db: Db) => ({
  /**
   * Each topic in the requested language and region, or else in the language alone.
   * @assumed The rule; an underscore counts as a hyphen.
   */
  list: (accountId: number, locale: string, page: Page, { by, order }: ChannelSort) =>
    readPage<StoredChannel>(db, CHANNELS(by, order), page, [accountId, localesFrom(locale)]),
  /** The enabled topics in all languages, in the order of the account's document. */
  enabled: async (accountId: number): Promise<readonly LocalizedChannel[]> =>
    (await db.rows<{ locale: string; body: string }>(ENABLED_CHANNELS, [accountId])).map(({ locale, body }) => ({
      ...(JSON.parse(body) as StoredChannel),
      locale,
    })),
  /** In the account's primary language. */
  facts: (accountId: number) => db.rows<DirectoryChannel>(PRIMARY_CHANNELS, [accountId]),
});
export type ChannelStore = ReturnType<typeof channelStore>;

const GROUPS = sortedPages("groups_page", {
  sorts: sortsByField(Group, GROUP_SORT_FIELDS, { name: sortKey("name") }),
  matching: `select id, name, body from groups where account_id = $3`,
});
const GROUP_FACTS = statement("group_facts", `select id, name, org_id from groups where account_id = $1`);

/** Reads of the table `groups`. */
export const groupStore = (db: Db) => ({
  list: (accountId: number, page: Page, { by, order }: { readonly by: GroupSortField; readonly order: SortOrder }) =>
    readPage<Group>(db, GROUPS(by, order), page, [accountId]),
  facts: async (accountId: number) => (await db.rows<DirectoryGroup>(GROUP_FACTS, [accountId])).map(withoutNulls),
});
export type GroupStore = ReturnType<typeof groupStore>;
