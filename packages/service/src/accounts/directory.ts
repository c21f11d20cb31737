import type { Field } from "@parley/contract";
import type { AgentFacts, AgentStore } from "../agents/store.ts";
import type { ChannelFacts, ChannelStore } from "../channels/store.ts";
import type { FieldStore } from "../fields/store.ts";
import type { GroupFacts, GroupStore } from "../groups/store.ts";
import { keptBriefly } from "./kept-briefly.ts";

/** What an account is set up with, as rules read it. It may be a second old. */
export interface Directory {
  agent(accountId: number, id: string): Promise<AgentFacts | undefined>;
  agentByOrgId(accountId: number, orgId: string): Promise<AgentFacts | undefined>;
  group(accountId: number, id: string): Promise<GroupFacts | undefined>;
  groupByOrgId(accountId: number, orgId: string): Promise<GroupFacts | undefined>;
  channel(accountId: number, id: string): Promise<ChannelFacts | undefined>;
  fields(accountId: number): Promise<readonly Field[]>;
  /** To be called after a write to the account's agents: this process knows of it at once. */
  forgetAgents(accountId: number): void;
  /** The same after a write to any of its tables. */
  forget(accountId: number): void;
}

interface Stores {
  readonly agents: Pick<AgentStore, "facts">;
  readonly groups: Pick<GroupStore, "facts">;
  readonly channels: Pick<ChannelStore, "facts">;
  readonly fields: Pick<FieldStore, "list">;
}

/** Ids are UUIDs, whose letters may come in either case. */
const byId = <T extends { readonly id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));

const byOrgId = <T>(rows: readonly T[], orgIdOf: (row: T) => string | undefined) =>
  new Map(rows.flatMap((row) => (orgIdOf(row) === undefined ? [] : [[orgIdOf(row), row] as const])));

/** Reads the directory of each account with one query a table, at most once a second. */
export function directory({ agents, groups, channels, fields }: Stores): Directory {
  const agentsOf = keptBriefly(async (accountId) => {
    const rows = await agents.facts(accountId);
    return { byId: byId(rows), byOrgId: byOrgId(rows, ({ org_contact_id }) => org_contact_id) };
  });
  const groupsOf = keptBriefly(async (accountId) => {
    const rows = await groups.facts(accountId);
    return { byId: byId(rows), byOrgId: byOrgId(rows, ({ org_id }) => org_id) };
  });
  const channelsOf = keptBriefly(async (accountId) => byId(await channels.facts(accountId)));
  const fieldsOf = keptBriefly((accountId) => fields.list(accountId));
  return {
    agent: async (accountId, id) => (await agentsOf.of(accountId)).byId.get(id.toLowerCase()),
    agentByOrgId: async (accountId, orgId) => (await agentsOf.of(accountId)).byOrgId.get(orgId),
    group: async (accountId, id) => (await groupsOf.of(accountId)).byId.get(id.toLowerCase()),
    groupByOrgId: async (accountId, orgId) => (await groupsOf.of(accountId)).byOrgId.get(orgId),
    channel: async (accountId, id) => (await channelsOf.of(accountId)).get(id.toLowerCase()),
    fields: fieldsOf.of,
    forgetAgents: agentsOf.forget,
    forget(accountId) {
      for (const each of [agentsOf, groupsOf, channelsOf, fieldsOf]) each.forget(accountId);
    },
  };
}
