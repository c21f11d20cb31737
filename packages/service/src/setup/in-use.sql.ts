import { statement, type Db } from "@parley/database";

const CHANNELS_IN_USE = statement(
  "setup_channels_in_use",
  `select distinct channel_id::text as id
     from conversations
    where account_id = $1 and channel_id = any($2::text[]::uuid[]) and status <> 'resolved'`,
);
const GROUPS_IN_USE = statement(
  "setup_groups_in_use",
  `select distinct assigned_group_id::text as id
     from conversations
    where account_id = $1 and assigned_group_id = any($2::text[]::uuid[]) and status <> 'resolved'`,
);
const GROUPS_WITH_AGENTS = statement(
  "setup_groups_with_agents",
  `select distinct member as id
     from agents, unnest(groups) as member
    where account_id = $1 and member = any($2::text[])`,
);
const ROLES_IN_USE = statement(
  "setup_roles_in_use",
  `select distinct body::json ->> 'role_id' as id
     from agents
    where account_id = $1 and body::json ->> 'role_id' = any($2::text[])`,
);
const STATUSES_IN_USE = statement(
  "setup_statuses_in_use",
  `select distinct body::json -> 'agent_status' ->> 'id' as id
     from agents
    where account_id = $1 and body::json -> 'agent_status' ->> 'id' = any($2::text[])`,
);
const VALUES_IN_USE = statement(
  "setup_values_in_use",
  `select distinct asked.id
     from json_to_recordset($2) as asked(id text, name text, value text)
    where exists (
            select
              from conversations c
             where c.account_id = $1
               and c.status <> 'resolved'
               and c.properties::jsonb ? asked.name
               and (asked.value is null
                    or c.properties::jsonb -> asked.name ? asked.value))`,
);

/** A field, or one of its values, that open conversations may use. */
export interface PropertyUse {
  readonly id: string;
  readonly name: string;
  /** Absent: any value. */
  readonly value?: string;
}

/** Finds the settings that open conversations or agents refer to. -> the ids in use */
export const inUse = (db: Db, accountId: number) => {
  const among = (text: typeof CHANNELS_IN_USE) => async (ids: readonly string[]) =>
    ids.length === 0 ? [] : (await db.rows<{ id: string }>(text, [accountId, ids])).map(({ id }) => id);
  return {
    channels: among(CHANNELS_IN_USE),
    groups: among(GROUPS_IN_USE),
    groupsOfAgents: among(GROUPS_WITH_AGENTS),
    roles: among(ROLES_IN_USE),
    statuses: among(STATUSES_IN_USE),
    properties: async (uses: readonly PropertyUse[]) =>
      uses.length === 0
        ? []
        : (await db.rows<{ id: string }>(VALUES_IN_USE, [accountId, JSON.stringify(uses)])).map(({ id }) => id),
  };
};
