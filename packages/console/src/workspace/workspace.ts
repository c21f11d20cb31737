import type { ListedAgent, ListedCustomer, Workspace } from "@parley/contract";
import { visibleName } from "@parley/contract/display";
import { queryOptions, useSuspenseQuery, type QueryClient } from "@tanstack/react-query";
import { client, setPageAgent } from "../session/session.ts";
import { workspaceMessages as texts } from "./messages.ts";

/** The signed-in agent, the colleagues, groups, topics and properties: read with the page, and again with each new stream, after a refused request and with pages of the administration. */
export const workspaceQuery = queryOptions({
  queryKey: ["workspace"],
  queryFn: async ({ signal }) => {
    const workspace = await client.workspace.getWorkspace({ signal });
    setPageAgent(workspace.agent);
    return workspace;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Reads the workspace again: the agent's role and scope, which decide about the pages, and the names of colleagues, groups, topics and
 * statuses. A reading in progress is replaced: its answer may be older than the reason for this reading.
 * @shape freshMs: not if it was read within this time @units milliseconds
 */
export const rereadWorkspace = (queries: QueryClient, { freshMs = 0 } = {}): void => {
  const { dataUpdatedAt = 0 } = queries.getQueryState(workspaceQuery.queryKey) ?? {};
  if (Date.now() - dataUpdatedAt < freshMs) return;
  void queries.refetchQueries({ queryKey: workspaceQuery.queryKey });
};

export const useWorkspace = (): Workspace => useSuspenseQuery(workspaceQuery).data;

const fullName = (person: { readonly first_name?: string; readonly last_name?: string } = {}): string =>
  visibleName(`${person.first_name ?? ""} ${person.last_name ?? ""}`);

/** -> first and last name, else the e-mail address */
export const agentName = (agent: Pick<ListedAgent, "first_name" | "last_name" | "email">): string =>
  fullName(agent) || agent.email;

/** -> first and last name, else another way to recognise the customer */
export const customerName = (customer: Partial<ListedCustomer> | undefined): string =>
  fullName(customer) || customer?.email || customer?.phone || texts.unknownCustomer;

const namedById = <T extends { readonly id: string }>(items: readonly T[], id: string | undefined): T | undefined =>
  id === undefined ? undefined : items.find((item) => item.id === id);

/** Names of what conversations refer to by id. An id that is not known any more has a name that says so. */
export const createNames = ({ agents, groups, channels }: Workspace) => {
  const nameOfAgent = (id: string): string => {
    const found = namedById(agents, id);
    return found ? agentName(found) : texts.formerAgent;
  };
  return {
    agent: nameOfAgent,
    group: (id: string): string => namedById(groups, id)?.name ?? texts.formerGroup,
    topic: (id: string): string => namedById(channels, id)?.name ?? texts.formerTopic,
  };
};
export type Names = ReturnType<typeof createNames>;
