import { workspace, type ListedAgent, type SessionAgent } from "@parley/contract";
import type { AgentStore } from "../../identity/agents/store.ts";
import { hasProperties } from "../../messaging/conversations/conversation.ts";
import { toApiChannel } from "../../messaging/directory/channel.ts";
import type { BusinessHoursStore } from "../../messaging/business-hours/store.ts";
import type { ChannelStore, FieldStore, GroupStore } from "../../messaging/directory/store.ts";
import { sessionAgent } from "../../http/session-agent.ts";
import { defineRoutes, type CallerAccount, type CallerAgent } from "../../http/route-handlers.ts";
import type { WorkspaceStore } from "./store.ts";

interface WorkspaceDeps {
  readonly store: Pick<WorkspaceStore, "agents">;
  readonly agents: Pick<AgentStore, "statuses">;
  readonly groups: Pick<GroupStore, "list">;
  readonly channels: Pick<ChannelStore, "list">;
  readonly fields: Pick<FieldStore, "list">;
  readonly hours: Pick<BusinessHoursStore, "of">;
  readonly isDemoAccount: (account: CallerAccount) => boolean;
}

/** A page that contains the whole of a short list. */
const ALL = { page: 1, itemsPerPage: 100_000, offset: 0 };
const BY_NAME = { by: "name", order: "asc" } as const;

/** The signed-in agent. The names are those of its entry in the list. */
const signedInAgent = (account: string, agent: CallerAgent, listed: ListedAgent | undefined): SessionAgent => ({
  account,
  agent_id: agent.id,
  email: agent.email,
  role_id: agent.role_id,
  role: agent.role,
  scope: agent.scope,
  groups: [...agent.groups],
  ...(listed?.first_name !== undefined && { first_name: listed.first_name }),
  ...(listed?.last_name !== undefined && { last_name: listed.last_name }),
});

/** Rows of this folder. The apps of the account, in the same table, are served by `console/apps`. */
const rows = { getWorkspace: workspace.getWorkspace };

/** Data that the console needs before it shows anything. */
export const workspaceRoutes = (deps: WorkspaceDeps) =>
  defineRoutes(rows, {
    async getWorkspace({ caller }) {
      const { account } = caller;
      const agent = sessionAgent(caller);
      const [agents, statuses, groups, channels, fields, hours] = await Promise.all([
        deps.store.agents(account.id),
        deps.agents.statuses(account.id),
        deps.groups.list(account.id, ALL, BY_NAME),
        deps.channels.list(account.id, account.primary_locale, ALL, BY_NAME),
        deps.fields.list(account.id),
        deps.hours.of(account.id, undefined),
      ]);
      const own = agents.find(({ id }) => id === agent.id);
      return {
        account: {
          name: account.name,
          domain: account.configuration.account_domain,
          has_properties: hasProperties(account),
          is_demo: deps.isDemoAccount(account),
          timezone: hours?.timezone ?? "UTC",
        },
        agent: signedInAgent(account.name, agent, own),
        agents,
        agent_statuses: statuses.map(({ id, name }) => ({ id, name })),
        groups: groups.items,
        channels: channels.items.map(({ locale: _, ...channel }) => toApiChannel(channel)),
        fields,
      };
    },
  });
