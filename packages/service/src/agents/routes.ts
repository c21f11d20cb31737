import {
  AGENT_EMAIL_TAKEN,
  AGENT_NOT_FOUND,
  AGENT_STATUS_NOT_FOUND,
  type AgentChange,
  agents,
  GROUP_NOT_FOUND,
  refuse,
  ROLE_NOT_FOUND,
} from "@parley/contract";
import type { Db } from "@parley/database";
import type { Directory } from "../accounts/directory.ts";
import { checkEmail, checkProfile } from "../accounts/profile.ts";
import { clampPage, pageReply } from "../http/pagination.ts";
import { rawJson, slice } from "../http/slice.ts";
import { isUuid } from "../http/uuid.ts";
import type { Ports } from "../ports.ts";
import type { RoleStore } from "../roles/store.ts";
import { agentText, changedAgent, inStatus, type Named, newAgent, statusNamed } from "./agent.ts";
import type { Releases } from "./release.ts";
import { roleOf, USUAL_ROLE } from "./role.ts";
import type { AgentStore } from "./store.ts";

/** All that these handlers may touch. */
export interface AgentDeps {
  readonly agents: AgentStore;
  readonly roles: Pick<RoleStore, "names">;
  readonly directory: Pick<Directory, "group" | "forgetAgents">;
  readonly releases: Releases;
  readonly ports: Ports;
}

/** What is no id names nobody, and no uuid column would take it. */
const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse(AGENT_NOT_FOUND));

/** @assumed The last account admin may be deleted, or given another role: an API key is what governs the account. */
export const agentSlice = ({ agents: store, roles, directory, releases, ports }: AgentDeps) => {
  /** @errors GROUP_NOT_FOUND, ROLE_NOT_FOUND, INVALID_VALUE for what is no e-mail address */
  const named = async (accountId: number, given: AgentChange): Promise<Named> => {
    if (given.email !== undefined) checkEmail(given.email);
    const ids = given.groups && [...new Set(given.groups.map((id) => id.toLowerCase()))];
    const groups =
      ids &&
      (await Promise.all(ids.map(async (id) => (await directory.group(accountId, id)) ?? refuse(GROUP_NOT_FOUND))));
    return { groups, role: roleOf(await roles.names(accountId), given) };
  };

  return slice(agents, {
    async listAgents({ caller: { account }, query, request }) {
      const { sort_by: by = "created_time", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const filter = { ...query, groups: query.groups?.toLowerCase() };
      const { total, items } = await store.list(account.id, filter, page, { by, order });
      return pageReply({ name: "agents", rel: "agent", items, total, ...page, request });
    },

    async createAgent({ caller: { account }, body, claim }) {
      const { groups, role } = await named(account.id, body);
      checkProfile(body);
      const usual = role ?? roleOf(await roles.names(account.id), { role_id: USUAL_ROLE }) ?? refuse(ROLE_NOT_FOUND);
      const available = (await store.statuses(account.id)).find((each) => each.availability_status === "AVAILABLE");
      const agent = newAgent(body, { groups, role: usual }, available, ports);
      const text = agentText(agent);
      const answer = rawJson(text);
      const keep = claim && ((tx: Db) => claim.keep(tx, answer));
      if (!(await store.add(account.id, { agent, text }, keep))) refuse(AGENT_EMAIL_TAKEN);
      directory.forgetAgents(account.id);
      return answer;
    },

    async listAgentStatuses({ caller }) {
      return { states: await store.statuses(caller.account.id) };
    },

    async getAgent({ caller, params }) {
      return rawJson((await store.body(caller.account.id, idOf(params.agent_id))) ?? refuse(AGENT_NOT_FOUND));
    },

    async updateAgent({ caller: { account }, params, body }) {
      const id = idOf(params.agent_id);
      if (!(await store.body(account.id, id))) refuse(AGENT_NOT_FOUND);
      const found = await named(account.id, body);
      const changed = await store.change(account.id, id, ports.now(), (present) => {
        checkProfile(body, present);
        const agent = changedAgent(present, body, found);
        return { agent, text: agentText(agent) };
      });
      if (changed === "taken") return refuse(AGENT_EMAIL_TAKEN);
      directory.forgetAgents(account.id);
      return rawJson((changed ?? refuse(AGENT_NOT_FOUND)).text);
    },

    async updateAgentStatus({ caller: { account }, params, body: { agent_status } }) {
      const statuses = await store.statuses(account.id);
      const changed = await store.change(account.id, idOf(params.agent_id), ports.now(), (present) => {
        const isNamed = agent_status?.id !== undefined || agent_status?.name !== undefined;
        const status = isNamed
          ? (statusNamed(statuses, agent_status ?? {}) ?? refuse(AGENT_STATUS_NOT_FOUND))
          : undefined;
        const agent = status ? inStatus(present, status) : present;
        return { agent, text: agentText(agent) };
      });
      if (changed === undefined || changed === "taken") return refuse(AGENT_NOT_FOUND);
      return changed.agent;
    },

    async deleteAgent({ caller: { account }, params }) {
      const id = idOf(params.agent_id);
      const removed = await store.remove(account.id, id, ports.now(), (tx) => releases.ask(tx, account.id, id));
      if (!removed) refuse(AGENT_NOT_FOUND);
      directory.forgetAgents(account.id);
      releases.wake();
      return { code: 202, status: "ACCEPTED", message: "Agent deletion request accepted" };
    },
  });
};
