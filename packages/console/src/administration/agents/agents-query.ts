import type { Agent, ListedSession, Role } from "@parley/contract";
import { queryOptions, useQueryClient } from "@tanstack/react-query";
import { client } from "../../session/session.ts";
import { useWorkspace, workspaceQuery } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";

const PAGE = { items_per_page: 100 };

/** All agents of an account, the oldest first. */
export const agentsQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "agents", account],
    queryFn: async ({ signal }): Promise<Agent[]> => {
      const found: Agent[] = [];
      for await (const agent of client.agents.listAgents.items({ query: PAGE, signal })) found.push(agent);
      return found;
    },
  });

export const agentQuery = (account: string, agentId: string) =>
  queryOptions({
    queryKey: ["admin", "agents", account, agentId],
    queryFn: ({ signal }) => client.agents.getAgent({ params: { agent_id: agentId }, signal }),
  });

/** The sessions of an agent, the newest first. */
export const agentSessionsQuery = (account: string, agentId: string) =>
  queryOptions({
    queryKey: ["admin", "agents", account, agentId, "sessions"],
    queryFn: async ({ signal }): Promise<ListedSession[]> =>
      (await adminCalls.listAgentSessions({ params: { account, agent_id: agentId }, signal })).sessions,
  });

/** The roles of an account, by name: built-in and custom roles. */
export const rolesQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "roles", account],
    queryFn: async ({ signal }): Promise<Role[]> => {
      const found: Role[] = [];
      for await (const role of client.roles.listRoles.items({ query: PAGE, signal })) found.push(role);
      return found;
    },
  });

/** -> reads agents again after a change: the pages of the administration, and the names that other pages show */
export const useRereadAgents = (): (() => Promise<void>) => {
  const queries = useQueryClient();
  const { account } = useWorkspace();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: agentsQuery(account.name).queryKey }),
      queries.invalidateQueries({ queryKey: workspaceQuery.queryKey }),
    ]);
  };
};
