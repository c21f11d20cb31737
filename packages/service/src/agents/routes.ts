import { agents, refuse, SERVICE_UNAVAILABLE } from "@parley/contract";
import { clampPage, pageReply } from "../http/pagination.ts";
import { slice } from "../http/slice.ts";
import type { AgentStore } from "./store.ts";

const soon = async (): Promise<never> => refuse(SERVICE_UNAVAILABLE);

export const agentSlice = (deps: { readonly agents: Pick<AgentStore, "list"> }) =>
  slice(agents, {
    async listAgents({ caller: { account }, query, request }) {
      const { sort_by: by = "created_time", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const { total, items } = await deps.agents.list(account.id, query, page, { by, order });
      return pageReply({ name: "agents", rel: "agent", items, total, ...page, request });
    },
    createAgent: soon,
    listAgentStatuses: soon,
    getAgent: soon,
    updateAgent: soon,
    updateAgentStatus: soon,
    deleteAgent: soon,
  });
