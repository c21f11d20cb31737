import type { Field } from "@parley/contract";
import { createTtlCache } from "../../base/concurrency/ttl-cache.ts";
import type { Ports } from "../../base/environment/ports.ts";

/** Cached facts of an agent. */
export interface DirectoryAgent {
  readonly id: string;
  readonly internal_id: number;
  readonly email: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly avatar_url?: string;
  readonly groups: readonly string[];
  readonly is_deactivated: boolean;
  readonly org_contact_id?: string;
}

/** Cached facts of a group. */
export interface DirectoryGroup {
  readonly id: string;
  readonly name: string;
  /** Id in the suite's master record. */
  readonly org_id?: string;
}

/** Cached facts of a channel. */
export interface DirectoryChannel {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly public: boolean;
}

export type ConversationUrl = (accountDomain: string, conversationId: string) => string;

/** An account's agents, groups, channels and fields. May be stale by one second. */
export interface Directory {
  agent(accountId: number, id: string): Promise<DirectoryAgent | undefined>;
  agentByOrgId(accountId: number, orgId: string): Promise<DirectoryAgent | undefined>;
  group(accountId: number, id: string): Promise<DirectoryGroup | undefined>;
  groupByOrgId(accountId: number, orgId: string): Promise<DirectoryGroup | undefined>;
  channel(accountId: number, id: string): Promise<DirectoryChannel | undefined>;
  fields(accountId: number): Promise<readonly Field[]>;
  /** Address of a conversation in the console. @shape accountDomain: the host of its account */
  readonly conversationUrl: ConversationUrl;
  /** Invalidates the agents in this process, after a write. */
  forgetAgents(accountId: number): void;
  /** Invalidates all tables of the account in this process, after a write. */
  forget(accountId: number): void;
}

/** Reads of the cached tables, each complete for one account. */
export interface DirectorySources {
  readonly agents: { facts(accountId: number): Promise<readonly DirectoryAgent[]> };
  readonly groups: { facts(accountId: number): Promise<readonly DirectoryGroup[]> };
  readonly channels: { facts(accountId: number): Promise<readonly DirectoryChannel[]> };
  readonly fields: { list(accountId: number): Promise<readonly Field[]> };
  readonly conversationUrl: ConversationUrl;
  readonly ports: Pick<Ports, "monotonicMs">;
}

/** Ids are UUIDs; lookups lower their case. */
const byId = <T extends { readonly id: string }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));

const byOrgId = <T>(rows: readonly T[], orgIdOf: (row: T) => string | undefined) =>
  new Map(rows.flatMap((row) => (orgIdOf(row) === undefined ? [] : [[orgIdOf(row), row] as const])));

/** Caches each table of an account for one second. */
export function createDirectory({
  agents,
  groups,
  channels,
  fields,
  conversationUrl,
  ports,
}: DirectorySources): Directory {
  const agentsOf = createTtlCache(async (accountId) => {
    const rows = await agents.facts(accountId);
    return { byId: byId(rows), byOrgId: byOrgId(rows, ({ org_contact_id }) => org_contact_id) };
  }, ports);
  const groupsOf = createTtlCache(async (accountId) => {
    const rows = await groups.facts(accountId);
    return { byId: byId(rows), byOrgId: byOrgId(rows, ({ org_id }) => org_id) };
  }, ports);
  const channelsOf = createTtlCache(async (accountId) => byId(await channels.facts(accountId)), ports);
  const fieldsOf = createTtlCache((accountId) => fields.list(accountId), ports);
  return {
    agent: async (accountId, id) => (await agentsOf.get(accountId)).byId.get(id.toLowerCase()),
    agentByOrgId: async (accountId, orgId) => (await agentsOf.get(accountId)).byOrgId.get(orgId),
    group: async (accountId, id) => (await groupsOf.get(accountId)).byId.get(id.toLowerCase()),
    groupByOrgId: async (accountId, orgId) => (await groupsOf.get(accountId)).byOrgId.get(orgId),
    channel: async (accountId, id) => (await channelsOf.get(accountId)).get(id.toLowerCase()),
    fields: fieldsOf.get,
    conversationUrl,
    forgetAgents: agentsOf.invalidate,
    forget(accountId) {
      for (const each of [agentsOf, groupsOf, channelsOf, fieldsOf]) each.invalidate(accountId);
    },
  };
}
