import type { AccountConfiguration, BusinessHours, Channel, Field, Group, Role, Template } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { AccountRow } from "../accounts/store.ts";
import {
  templateId,
  type AccountState,
  type AccountLists,
  type AgentStatusSetting,
  type ChannelTopic,
} from "./sections/state.ts";

const CHANNELS = statement(
  "setup_channels",
  `select id, locale, body from channels where account_id = $1 order by updated_time, id, locale`,
);
const GROUPS = statement("setup_groups", `select org_id, body from groups where account_id = $1 order by name, id`);
const ROLES = statement("setup_roles", `select body from roles where account_id = $1 order by name, id`);
const STATUSES = statement(
  "setup_statuses",
  `select id, name, availability_status from agent_statuses where account_id = $1 order by name, id`,
);
const FIELDS = statement("setup_fields", `select body from fields where account_id = $1 order by position, id`);
const TEMPLATES = statement(
  "setup_templates",
  `select body from templates where account_id = $1 order by namespace, name, language`,
);
const HOURS = statement(
  "setup_business_hours",
  `select coalesce(h.group_id::text, '') as id, h.body
     from business_hours h
     left join groups g on g.account_id = h.account_id and g.id = h.group_id
    where h.account_id = $1
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

/** Reads an account with its lists. */
export const readState = async (db: Db, { id, name, configuration, ...row }: AccountRow): Promise<AccountState> => ({
  name,
  configuration: JSON.parse(configuration) as AccountConfiguration,
  primary_locale: row.primary_locale,
  calls_per_hour: row.calls_per_hour,
  lists: await readLists(db, id),
});

/** Reads the lists of an account. The result is a consistent snapshot inside a transaction that holds the lock of the account. */
async function readLists(db: Db, accountId: number): Promise<AccountLists> {
  const rows = <T>(text: typeof CHANNELS) => db.rows<T>(text, [accountId]);
  const [channels, groups, roles, statuses, fields, templates, hours] = await Promise.all([
    rows<Body & { id: string; locale: string }>(CHANNELS),
    rows<Body & { org_id: string | null }>(GROUPS),
    rows<Body>(ROLES),
    rows<AgentStatusSetting>(STATUSES),
    rows<Body>(FIELDS),
    rows<Body>(TEMPLATES),
    rows<Body & { id: string }>(HOURS),
  ]);
  return {
    channels: topicsOf(channels),
    groups: groups.map((row) => ({ ...parsed<Group>(row), ...(row.org_id !== null && { org_id: row.org_id }) })),
    roles: roles.map((row) => parsed<Role>(row)),
    statuses,
    fields: fields.map((row) => parsed<Field>(row)),
    templates: templates.map((row) => {
      const template = parsed<Template>(row);
      return { ...template, id: templateId(template) };
    }),
    business_hours: hours.map((row) => {
      const { group: _, ...own } = parsed<BusinessHours>(row);
      return { ...own, id: row.id };
    }),
  };
}
