import { ACCOUNT_NOT_FOUND, AGENT_NOT_FOUND, type agentSettings, refuse } from "@parley/contract";
import type { Directory } from "../directory/directory.ts";
import type { AccountStore } from "../accounts/store.ts";
import { rawJson, type RouteHandlers } from "../http/route-handlers.ts";
import { isUuid } from "../http/uuid.ts";
import type { Ports } from "../environment/ports.ts";
import { agentJson } from "./agent.ts";
import type { AgentStore } from "./store.ts";

interface AgentSettingsDeps {
  readonly accounts: Pick<AccountStore, "byName">;
  readonly agents: Pick<AgentStore, "change">;
  readonly directory: Pick<Directory, "forgetAgents">;
  readonly ports: Pick<Ports, "now">;
}

/** Administration of an account's agents. Other processes see a change within a second. */
export const agentAdminHandlers = ({
  accounts,
  agents,
  directory,
  ports: { now },
}: AgentSettingsDeps): RouteHandlers<typeof agentSettings> => ({
  async changeAgentSettings({ params, body }) {
    const { id: accountId } = (await accounts.byName(params.account)) ?? refuse(ACCOUNT_NOT_FOUND);
    if (!isUuid(params.agent_id)) return refuse(AGENT_NOT_FOUND);
    const changed = await agents.change(accountId, params.agent_id.toLowerCase(), now(), (present) => {
      const agent = { ...present, ...body };
      return { agent, text: agentJson(agent) };
    });
    if (changed === undefined || changed === "taken") return refuse(AGENT_NOT_FOUND);
    directory.forgetAgents(accountId);
    return rawJson(changed.text);
  },
});
