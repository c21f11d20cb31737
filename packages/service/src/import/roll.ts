import type { AccountDocument, Role } from "@parley/contract";
import type { Pool } from "@parley/database";
import { accountOf } from "../accounts/account.ts";
import { accountStore } from "../accounts/store.ts";
import { agentStore, type AgentFacts } from "../agents/store.ts";
import type { Account } from "../http/slice.ts";
import type { Ports } from "../ports.ts";
import { readState } from "../setup/db/read.ts";
import { planAccount } from "../setup/plan.ts";
import { BUILT_IN_ROLES } from "../setup/sections/roles.ts";
import { firstSettings } from "../setup/settings.ts";
import { NO_LISTS, type Lists, type OrgGroup, type Status, type Topic } from "../setup/state.ts";
import { idsOf, type IdOf } from "./ids.ts";

/** Who and what of an account records may name, by ids and by names. */
export interface Roll {
  readonly account: Account;
  readonly idOf: IdOf;
  readonly groups: readonly OrgGroup[];
  readonly roles: readonly Role[];
  readonly statuses: readonly Status[];
  readonly agents: ReadonlyMap<string, AgentFacts>;
  /** -> the id that is meant, whether there is such a one or not */
  readonly channelId: (text: string) => string;
  readonly groupId: (text: string) => string;
  readonly agentId: (text: string) => string;
  readonly hasChannel: (id: string) => boolean;
  readonly hasGroup: (id: string) => boolean;
}

type RollLists = Pick<Lists, "channels" | "groups" | "roles" | "statuses">;

const namesOf = (topic: Topic): string[] => Object.values(topic.texts).map(({ name }) => name);

const rollOf = (account: Account, lists: RollLists, agents: readonly AgentFacts[]): Roll => {
  const idOf = idsOf(account.name);
  const channels = new Map(lists.channels.flatMap((topic) => namesOf(topic).map((name) => [name, topic.id])));
  const groups = new Map(lists.groups.map(({ name, id }) => [name, id]));
  const emails = new Map(agents.map(({ email, id }) => [email.toLowerCase(), id]));
  const channelIds = new Set(lists.channels.map(({ id }) => id));
  const groupIds = new Set(lists.groups.map(({ id }) => id));
  return {
    account,
    idOf,
    groups: lists.groups,
    roles: lists.roles,
    statuses: lists.statuses,
    agents: new Map(agents.map((each) => [each.id, each])),
    channelId: (text) => channels.get(text) ?? idOf("channel", text),
    groupId: (text) => groups.get(text) ?? idOf("group", text),
    agentId: (text) => emails.get(text.toLowerCase()) ?? idOf("agent", text),
    hasChannel: (id) => channelIds.has(id),
    hasGroup: (id) => groupIds.has(id),
  };
};

/** The roll with one agent more, as a dry run has it. */
export const withAgent = (roll: Roll, agent: AgentFacts): Roll => {
  const agents = new Map([...roll.agents, [agent.id, agent]]);
  const emails = new Map([...agents.values()].map(({ email, id }) => [email.toLowerCase(), id]));
  return { ...roll, agents, agentId: (text) => emails.get(text.toLowerCase()) ?? roll.idOf("agent", text) };
};

/** Reads it; it is read again when the account or an agent was changed. -> undefined: there is no such account */
export const readRoll = async (pool: Pool, name: string): Promise<Roll | undefined> => {
  const row = await accountStore(pool).byName(name);
  if (!row) return undefined;
  const [{ lists }, facts] = await Promise.all([readState(pool, row), agentStore(pool).facts(row.id)]);
  return rollOf(accountOf(row), lists, facts);
};

/** The roll as it is to be once the document is applied. @errors INVALID_VALUE that names the place in the document */
export const plannedRoll = async (
  pool: Pool,
  document: AccountDocument,
  { newId, now, domain }: Pick<Ports, "newId" | "now"> & { readonly domain: string },
): Promise<Roll> => {
  const { name } = document;
  const row = await accountStore(pool).byName(name);
  const state = row
    ? await readState(pool, row)
    : { ...firstSettings({ id: 0, name, domain, app_id: newId() }), lists: { ...NO_LISTS, roles: BUILT_IN_ROLES } };
  const plan = planAccount(state, document, { isNew: !row, prune: false, newId, now: now() });
  const { channels, groups, roles, statuses } = plan.lists;
  const { configuration, primary_locale, calls_per_hour } = plan.settings;
  const { plan_type } = configuration;
  const account = { id: row?.id ?? 0, name, configuration, plan_type, primary_locale, calls_per_hour };
  const lists = { channels: channels.after, groups: groups.after, roles: roles.after, statuses: statuses.after };
  return rollOf(account, lists, row ? await agentStore(pool).facts(row.id) : []);
};
