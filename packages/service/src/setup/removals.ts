import { refuse, SETTING_IN_USE } from "@parley/contract";
import type { Db } from "@parley/database";
import { inUse, type PropertyUse } from "./in-use.sql.ts";
import type { ListPlans } from "./plan.ts";
import type { AccountLists } from "./sections/state.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

const denyRemoval = (setting: string, reason: string): never =>
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
    if (first) denyRemoval(`The ${kind} ${first.name}`, reason);
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
  await check("role", plans.roles.removed, used.roles, "an agent has it. Give the agent another one first");
  await check("status", plans.statuses.removed, used.statuses, "an agent has it. Give the agent another one first");
  const properties = removedProperties(before, plans);
  const ids = await used.properties(properties);
  const first = properties.find(({ id }) => ids.includes(id));
  if (first)
    denyRemoval(first.title, "an open conversation has it. Change its value there, or resolve the conversation");
}
