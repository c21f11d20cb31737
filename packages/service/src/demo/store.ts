import { statement, type Db } from "@parley/database";
import type { DemoAccount } from "./account.ts";

const INSERT_ACCOUNT = statement(
  "demo_account",
  `insert into accounts (id, name, configuration, plan_type, primary_locale)
   values ($1, $2, $3, $4, $5)
       on conflict do nothing
   returning id`,
);
const INSERT_CHANNELS = statement(
  "demo_channels",
  `insert into channels (account_id, id, locale, name, enabled, public, updated_time, body)
   select $1, r.id, r.locale, r.name, r.enabled, r.public, r.updated_time, r.body
     from json_to_recordset($2) as r(id uuid, locale text, name text, enabled boolean, public boolean,
                                     updated_time timestamptz, body text)`,
);
const INSERT_GROUPS = statement(
  "demo_groups",
  `insert into groups (account_id, id, org_id, name, body)
   select $1, r.id, r.org_id, r.name, r.body
     from json_to_recordset($2) as r(id uuid, org_id text, name text, body text)`,
);
const INSERT_ROLES = statement(
  "demo_roles",
  `insert into roles (account_id, id, name, body)
   select $1, r.id, r.name, r.body from json_to_recordset($2) as r(id text, name text, body text)`,
);
const INSERT_STATUSES = statement(
  "demo_statuses",
  `insert into agent_statuses (account_id, id, name, availability_status)
   select $1, r.id, r.name, r.availability_status
     from json_to_recordset($2) as r(id uuid, name text, availability_status text)`,
);
const INSERT_AGENTS = statement(
  "demo_agents",
  `insert into agents (account_id, id, email, first_name, last_name, groups, availability_status, is_deactivated,
                       created_time, body)
   select $1, r.id, r.email, r.first_name, r.last_name, array(select json_array_elements_text(r.groups)),
          r.availability_status, r.is_deactivated, r.created_time, r.body
     from json_to_recordset($2) as r(id uuid, email text, first_name text, last_name text, groups json,
                                     availability_status text, is_deactivated boolean, created_time timestamptz, body text)`,
);
const INSERT_FIELDS = statement(
  "demo_fields",
  `insert into fields (account_id, id, name, position, body)
   select $1, r.id, r.name, r.position, r.body
     from json_to_recordset($2) as r(id uuid, name text, position integer, body text)`,
);
const INSERT_TEMPLATES = statement(
  "demo_templates",
  `insert into templates (account_id, namespace, name, language, body)
   select $1, r.namespace, r.name, r.language, r.body
     from json_to_recordset($2) as r(namespace text, name text, language text, body text)`,
);
const INSERT_HOURS = statement(
  "demo_business_hours",
  `insert into business_hours (account_id, group_id, body)
   select $1, g.id, r.body
     from json_to_recordset($2) as r("group" text, body text)
     left join groups g on g.account_id = $1 and g.name = r."group"`,
);

/** The rows beside their bodies; `hidden` members are columns only, no part of what is replied. */
const rowsOf = <T extends object>(items: readonly T[], ...hidden: readonly (keyof T)[]): string =>
  JSON.stringify(
    items.map((item) => ({
      ...item,
      body: JSON.stringify({ ...item, ...Object.fromEntries(hidden.map((name) => [name, undefined])) }),
    })),
  );

/** Writes demo accounts whole. */
export const demoStore = (tx: Db) => ({
  /** -> false: an account of this id or name is there already, and nothing was written. */
  async insert({ id, name, configuration, primary_locale, ...account }: DemoAccount): Promise<boolean> {
    const text = JSON.stringify(configuration);
    if (!(await tx.one(INSERT_ACCOUNT, [id, name, text, configuration.plan_type, primary_locale]))) return false;
    await tx.rows(INSERT_CHANNELS, [id, rowsOf(account.channels)]);
    await tx.rows(INSERT_GROUPS, [id, rowsOf(account.groups, "org_id")]);
    await tx.rows(INSERT_ROLES, [id, rowsOf(account.roles)]);
    await tx.rows(INSERT_STATUSES, [id, rowsOf(account.statuses)]);
    await tx.rows(INSERT_AGENTS, [id, rowsOf(account.agents)]);
    await tx.rows(INSERT_FIELDS, [id, rowsOf(account.fields)]);
    await tx.rows(INSERT_TEMPLATES, [id, rowsOf(account.templates)]);
    await tx.rows(INSERT_HOURS, [id, rowsOf(account.business_hours, "group")]);
    return true;
  },
});
