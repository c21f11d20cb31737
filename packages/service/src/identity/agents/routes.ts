import {
  AGENT_EMAIL_TAKEN,
  AGENT_NOT_FOUND,
  AGENT_STATUS_NOT_FOUND,
  type Agent,
  type AgentChange,
  agents,
  FORBIDDEN,
  GROUP_NOT_FOUND,
  INVALID_VALUE,
  isAtLeast,
  refuse,
  ROLE_NOT_FOUND,
  ACCOUNT_NOT_FOUND,
  type agentSettings,
} from "@parley/contract";
import type { Db, Transaction } from "@parley/database";
import type { RecordAudit } from "../audit/record.sql.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import { checkEmail, checkProfileFields } from "../../messaging/accounts/profile-fields.ts";
import { clampPage, pageReply } from "../../http/pagination.ts";
import { rawJson, defineRoutes, type RequestActor, type RouteHandlers } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { RoleStore } from "../../messaging/directory/store.ts";
import {
  agentJson,
  changedAgent,
  withStatus,
  type AgentNames,
  newAgent,
  findStatus,
  findRole,
  DEFAULT_ROLE_ID,
} from "./agent.ts";
import type { ConversationReleaseJobs } from "../../messaging/conversations/release.ts";
import { isAccountAdmin, checkAccountAdminRemains } from "./account-admins.sql.ts";
import { agentChangeDetails } from "./audit-details.ts";
import { checkRoleCeiling, checkNotOwnAgent, checkNotOwnSignIn } from "./role-ceiling.ts";
import type { AgentStore } from "./store.ts";
import type { AccountStore } from "../../messaging/accounts/store.ts";

interface AgentDeps {
  readonly agents: AgentStore;
  readonly roles: Pick<RoleStore, "names">;
  readonly directory: Pick<Directory, "group" | "forgetAgents">;
  readonly releases: ConversationReleaseJobs;
  /** Makes the links of an agent invalid by which it can sign in or choose a password. */
  readonly withdrawLinks: (
    tx: Db,
    agent: { readonly account_id: number; readonly agent_id: string },
  ) => Promise<unknown>;
  readonly ports: Ports;
  readonly recordAudit: RecordAudit;
}

/** A malformed id is treated as not found; a uuid column would reject it. */
const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse(AGENT_NOT_FOUND));

/**
 * Fields that agents may change of themselves, below the role Admin.
 * @assumed Names, biography, avatar and the like; neither access nor the address, by which passwords are reset.
 */
const OWN_PROFILE: readonly string[] = [
  "avatar",
  "biography",
  "first_name",
  "last_name",
  "locale",
  "phone",
  "social_profiles",
  "timezone",
] satisfies (keyof AgentChange)[];

/** @errors FORBIDDEN for a session below the role Admin that changes more than its profile */
const checkOwnProfile = ({ agent }: RequestActor, fields: AgentChange): void => {
  if (!agent || isAtLeast(agent.role_id, "ADMIN")) return;
  const other = Object.keys(fields).find((name) => !OWN_PROFILE.includes(name));
  if (other !== undefined)
    refuse(FORBIDDEN, `${other} can be changed by an agent with the role ADMIN or a higher one only.`);
};

type StatusFields = Pick<AgentChange, "availability_status" | "agent_status">;

/**
 * @errors INVALID_VALUE for a status that is not the agent's
 * @assumed A status that a client sends back as it has read it is accepted and has no effect.
 */
const checkStatusFields = ({ availability_status, agent_status }: StatusFields, agent: Agent): void => {
  if (availability_status !== undefined && availability_status !== agent.availability_status)
    refuse(
      INVALID_VALUE,
      "availability_status follows from agent_status: change agent_status by PATCH /agents/{agent_id} to one of GET /agents/status",
    );
  const { id = agent.agent_status?.id, name = agent.agent_status?.name } = agent_status ?? {};
  if (id?.toLowerCase() !== agent.agent_status?.id || name !== agent.agent_status?.name)
    refuse(INVALID_VALUE, "agent_status is changed by PATCH /agents/{agent_id}");
};

/**
 * @assumed A token may delete the last account admin, or give it another role: an API key is what governs the account. A session can do
 * neither to its own agent.
 */
export const agentRoutes = ({
  agents: store,
  roles,
  directory,
  releases,
  withdrawLinks,
  ports,
  recordAudit,
}: AgentDeps) => {
  /** @errors GROUP_NOT_FOUND, ROLE_NOT_FOUND, INVALID_VALUE for an invalid e-mail address */
  const named = async (accountId: number, fields: AgentChange): Promise<AgentNames> => {
    if (fields.email !== undefined) checkEmail(fields.email);
    const ids = fields.groups && [...new Set(fields.groups.map((id) => id.toLowerCase()))];
    const groups =
      ids &&
      (await Promise.all(ids.map(async (id) => (await directory.group(accountId, id)) ?? refuse(GROUP_NOT_FOUND))));
    return { groups, role: findRole(await roles.names(accountId), fields) };
  };

  return defineRoutes(agents, {
    async listAgents({ caller: { account }, query, request }) {
      const { sort_by: by = "created_time", sort_order: order = "asc" } = query;
      const page = clampPage(query);
      const filter = { ...query, groups: query.groups?.toLowerCase() };
      const { total, items } = await store.list(account.id, filter, page, { by, order });
      return pageReply({ name: "agents", rel: "agent", items, total, ...page, request });
    },

    async createAgent({ caller: { account }, body, claim, actor }) {
      const { groups, role } = await named(account.id, body);
      checkProfileFields(body);
      const usual =
        role ?? findRole(await roles.names(account.id), { role_id: DEFAULT_ROLE_ID }) ?? refuse(ROLE_NOT_FOUND);
      const available = (await store.statuses(account.id)).find((each) => each.availability_status === "AVAILABLE");
      checkRoleCeiling(actor, usual.id);
      const agent = newAgent(body, { groups, role: usual }, available, ports);
      const text = agentJson(agent);
      const reply = rawJson(text);
      const record = async (tx: Transaction) => {
        const details = { email: agent.email, role_id: agent.role_id };
        await recordAudit(tx, { actor, action: "agent.create", account, subject: agent.id, details });
        await claim?.recordReply(tx, reply);
      };
      if (!(await store.add(account.id, { agent, text }, record))) refuse(AGENT_EMAIL_TAKEN);
      directory.forgetAgents(account.id);
      return reply;
    },

    async listAgentStatuses({ caller }) {
      return { states: await store.statuses(caller.account.id) };
    },

    async getAgent({ caller, params }) {
      return rawJson((await store.body(caller.account.id, idOf(params.agent_id))) ?? refuse(AGENT_NOT_FOUND));
    },

    async updateAgent({ caller: { account }, params, body: given, actor }) {
      const id = idOf(params.agent_id);
      const { availability_status, agent_status, ...body } = given;
      checkOwnProfile(actor, body);
      if (!(await store.body(account.id, id))) refuse(AGENT_NOT_FOUND);
      const found = await named(account.id, body);
      const rule = (present: Agent) => {
        checkProfileFields(body, present);
        checkStatusFields({ availability_status, agent_status }, present);
        const agent = changedAgent(present, body, found);
        if (agent.role_id !== present.role_id) checkNotOwnAgent(actor, id);
        if (agent.email !== present.email) checkNotOwnSignIn(actor, id);
        checkRoleCeiling(actor, present.role_id, agent.role_id);
        return { agent, text: agentJson(agent) };
      };
      const changed = await store.change(account.id, id, ports.now(), rule, async (tx, before, after) => {
        // A reader of the previous mailbox must not sign in by a link that was sent there.
        if (after.email !== before.email) await withdrawLinks(tx, { account_id: account.id, agent_id: id });
        if (isAccountAdmin(before) && !isAccountAdmin(after)) await checkAccountAdminRemains(tx, actor, account.id);
        const details = agentChangeDetails(before, after);
        if (details) await recordAudit(tx, { actor, action: "agent.change", account, subject: id, details });
      });
      if (changed === "taken") return refuse(AGENT_EMAIL_TAKEN);
      directory.forgetAgents(account.id);
      return rawJson((changed ?? refuse(AGENT_NOT_FOUND)).text);
    },

    async updateAgentStatus({ caller: { account }, params, body: { agent_status, availability_status }, actor }) {
      const statuses = await store.statuses(account.id);
      const changed = await store.change(account.id, idOf(params.agent_id), ports.now(), (present) => {
        checkRoleCeiling(actor, present.role_id);
        const isNamed = agent_status?.id !== undefined || agent_status?.name !== undefined;
        const status = isNamed
          ? (findStatus(statuses, agent_status ?? {}) ?? refuse(AGENT_STATUS_NOT_FOUND))
          : undefined;
        const agent = status ? withStatus(present, status) : present;
        // A client that read the agent before sends its former availability beside the new status.
        if (availability_status !== present.availability_status) checkStatusFields({ availability_status }, agent);
        return { agent, text: agentJson(agent) };
      });
      if (changed === undefined || changed === "taken") return refuse(AGENT_NOT_FOUND);
      return changed.agent;
    },

    async deleteAgent({ caller: { account }, params, actor }) {
      const id = idOf(params.agent_id);
      checkNotOwnAgent(actor, id);
      const removed = await store.remove(account.id, id, ports.now(), async (tx, removedAgent) => {
        checkRoleCeiling(actor, removedAgent.role_id);
        if (removedAgent.role_id === "ACCOUNT_ADMIN") await checkAccountAdminRemains(tx, actor, account.id);
        await releases.schedule(tx, account.id, id);
        const details = { email: removedAgent.email };
        await recordAudit(tx, { actor, action: "agent.delete", account, subject: id, details });
      });
      if (!removed) refuse(AGENT_NOT_FOUND);
      directory.forgetAgents(account.id);
      releases.wake();
      return { code: 202, status: "ACCEPTED", message: "Agent deletion request accepted" };
    },
  });
};

interface AgentSettingsDeps {
  readonly accounts: Pick<AccountStore, "byName">;
  readonly agents: Pick<AgentStore, "change">;
  /** Ends the sessions of an agent. */
  readonly endSessions: (tx: Db, agent: { readonly account_id: number; readonly agent_id: string }) => Promise<unknown>;
  readonly directory: Pick<Directory, "forgetAgents">;
  readonly ports: Pick<Ports, "now">;
  readonly recordAudit: RecordAudit;
}

/** Administration of an account's agents. Other processes see a change within a second. */
export const agentAdminHandlers = ({
  accounts,
  agents,
  endSessions,
  directory,
  ports: { now },
  recordAudit,
}: AgentSettingsDeps): RouteHandlers<typeof agentSettings> => ({
  async changeAgentSettings({ params, body, actor }) {
    const account = (await accounts.byName(params.account)) ?? refuse(ACCOUNT_NOT_FOUND);
    const accountId = account.id;
    if (!isUuid(params.agent_id)) return refuse(AGENT_NOT_FOUND);
    const id = params.agent_id.toLowerCase();
    const rule = (present: Agent) => {
      checkRoleCeiling(actor, present.role_id);
      const agent = { ...present, ...body };
      if (agent.is_deactivated || agent.scope !== present.scope) checkNotOwnAgent(actor, id);
      return { agent, text: agentJson(agent) };
    };
    const changed = await agents.change(accountId, id, now(), rule, async (tx, before, after) => {
      if (isAccountAdmin(before) && !isAccountAdmin(after)) await checkAccountAdminRemains(tx, actor, accountId);
      const details = agentChangeDetails(before, after);
      if (details) await recordAudit(tx, { actor, action: "agent.change", account, subject: id, details });
      if (after.is_deactivated) await endSessions(tx, { account_id: accountId, agent_id: id });
    });
    if (changed === undefined || changed === "taken") return refuse(AGENT_NOT_FOUND);
    directory.forgetAgents(accountId);
    return rawJson(changed.text);
  },
});
