import { statement, type Db } from "@parley/database";
import { refuse, SETTING_IN_USE } from "@parley/contract";
import type { ListPlans } from "./plan.ts";
import type { AccountLists } from "./sections/state.ts";

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
interface PropertyUse {
  readonly id: string;
  readonly name: string;
  /** Absent: any value. */
  readonly value?: string;
}

/** Finds the settings that open conversations or agents refer to. -> the ids in use */
const inUse = (db: Db, accountId: number) => {
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

interface Named {
  readonly id: string;
  readonly name: string;
}

const refuseRemoval = (setting: string, reason: string): never =>
  refuse(SETTING_IN_USE, `${setting} can't be removed: ${reason}.`);

/** Fields to be removed, and choices to be removed from remaining fields. */
const removedProperties = (before: AccountLists, plans: ListPlans): (PropertyUse & { readonly title: string })[] => [
  ...plans.fields.removed.map(({ id, name }) => ({ id, name, title: `The field ${name}` })),
  ...plans.fields.put.flatMap(({ id, name, choices }) =>
    (before.fields.find((field) => field.id === id)?.choices ?? [])
      .filter(({ value }) => !choices.some((choice) => choice.value === value))
      .map(({ value }) => ({
        id: JSON.stringify([name, value]),
        name,
        value,
        title: `The choice ${value} of ${name}`,
      })),
  ),
];

/**
 * Refuses to remove a setting that an open conversation or an agent refers to.
 * @errors SETTING_IN_USE with the name of the setting and a way to resolve the conflict
 * @assumed A resolved conversation blocks no removal. Its references may lead to removed settings.
 */
export async function checkRemovals(db: Db, accountId: number, before: AccountLists, plans: ListPlans): Promise<void> {
  const used = inUse(db, accountId);
  const check = async (
    kind: string,
    removed: readonly Named[],
    findUsed: (ids: readonly string[]) => Promise<readonly string[]>,
    reason: string,
  ) => {
    const ids = await findUsed(removed.map(({ id }) => id));
    const first = removed.find(({ id }) => ids.includes(id));
    if (first) refuseRemoval(`The ${kind} ${first.name}`, reason);
  };
  const channels = plans.channels.removed.map(({ id, texts }) => ({ id, name: Object.values(texts)[0]?.name ?? id }));
  const groups = plans.groups.removed;
  await check("channel", channels, used.channels, "an open conversation is in it. Resolve it, or keep the channel");
  await check(
    "group",
    groups,
    used.groups,
    "an open conversation is assigned to it. Assign it elsewhere, or resolve it",
  );
  await check("group", groups, used.groupsOfAgents, "an agent belongs to it. Take the agent out first");
  await check("role", plans.roles.removed, used.roles, "an agent has it. Give the agent another role first");
  await check("status", plans.statuses.removed, used.statuses, "an agent has it. Give the agent another status first");
  const properties = removedProperties(before, plans);
  const ids = await used.properties(properties);
  const first = properties.find(({ id }) => ids.includes(id));
  if (first)
    refuseRemoval(first.title, "an open conversation has it. Change its value there, or resolve the conversation");
}
