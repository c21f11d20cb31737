import {
  AGENT_EMAIL_TAKEN,
  AGENT_STATUS_NOT_FOUND,
  CONFLICT,
  GROUP_NOT_FOUND,
  refuse,
  type Agent,
  type ImportedAgent,
  type ExistingRecordPolicy,
} from "@parley/contract";
import { agentJson, newAgent, findStatus, findRole, DEFAULT_ROLE_ID, roleScope } from "../agents/agent.ts";
import { checkEmail } from "../accounts/profile-fields.ts";
import type { AgentStore } from "../agents/store.ts";
import type { DirectoryAgent } from "../directory/directory.ts";
import type { Ports } from "../environment/ports.ts";
import type { AccountDirectory } from "./account-directory.ts";
import { firstDifference, recordTime } from "./record-fields.ts";

interface AgentDeps {
  readonly directory: AccountDirectory;
  readonly agents: AgentStore;
  readonly present: ExistingRecordPolicy;
  readonly dryRun: boolean;
  readonly ports: Ports;
}

/** The members in the record, as the agent object has them. @errors GROUP_NOT_FOUND, AGENT_STATUS_NOT_FOUND, ROLE_NOT_FOUND */
const agentOfRecord = (
  directory: AccountDirectory,
  record: ImportedAgent,
): Partial<Agent> & Pick<Agent, "id" | "email"> => {
  const { type: _type, groups, role_id, role_name, agent_status, created_time, ...fields } = record;
  const ids = groups?.map(directory.groupId);
  if (ids?.some((id) => !directory.hasGroup(id)))
    refuse(GROUP_NOT_FOUND, "groups names a group that the account doesn't have");
  const role = findRole(directory.roles, { role_id, role_name });
  const status = agent_status && findStatus(directory.statuses, agent_status);
  if (agent_status && !status) refuse(AGENT_STATUS_NOT_FOUND);
  return {
    ...fields,
    id: directory.idOf("agent", record.id),
    ...(created_time !== undefined && { created_time: recordTime(created_time) }),
    ...(ids && { groups: ids }),
    ...(role && { role_id: role.id, role_name: role.name, scope: roleScope(role) }),
    ...(status && {
      agent_status: { id: status.id, name: status.name },
      availability_status: status.availability_status,
    }),
  };
};

/** The object of a new agent. @errors ROLE_NOT_FOUND */
const newAgentOf = (directory: AccountDirectory, fields: ReturnType<typeof agentOfRecord>, ports: Ports): Agent => {
  const role = findRole(directory.roles, fields) ?? findRole(directory.roles, { role_id: DEFAULT_ROLE_ID });
  if (!role) throw new Error("every account has the usual role");
  const named = { groups: [], role };
  return {
    ...newAgent({ email: fields.email }, named, undefined, ports),
    availability_status: "UNAVAILABLE",
    ...fields,
  };
};

/**
 * Imports one agent.
 * @errors AGENT_EMAIL_TAKEN, CONFLICT, GROUP_NOT_FOUND, AGENT_STATUS_NOT_FOUND, ROLE_NOT_FOUND
 * @assumed An agent whose record contains no status is not available.
 */
export const importAgent = async (
  record: ImportedAgent,
  { directory, agents, present, dryRun, ports }: AgentDeps,
): Promise<{ readonly outcome: "created" | "updated" | "unchanged"; readonly agent: DirectoryAgent }> => {
  checkEmail(record.email);
  const fields = agentOfRecord(directory, record);
  const { id: accountId } = directory.account;
  const body = await agents.body(accountId, fields.id);
  const resultOf = (outcome: "created" | "updated" | "unchanged", agent: Agent) => ({
    outcome,
    // The table assigns internal_id.
    agent: { ...agent, internal_id: directory.agents.get(agent.id)?.internal_id ?? 0 },
  });
  if (body === undefined) {
    const isTaken = [...directory.agents.values()].some(
      ({ email, id }) => email.toLowerCase() === fields.email.toLowerCase() && id !== fields.id,
    );
    if (isTaken) refuse(AGENT_EMAIL_TAKEN);
    const agent = newAgentOf(directory, fields, ports);
    if (!dryRun && !(await agents.add(accountId, { agent, text: agentJson(agent) }))) refuse(AGENT_EMAIL_TAKEN);
    return resultOf("created", agent);
  }
  const stored = JSON.parse(body) as Agent;
  const member = firstDifference({ ...fields }, { ...stored });
  if (member === undefined || present === "keep") return resultOf("unchanged", stored);
  if (present === "refuse")
    refuse(
      CONFLICT,
      `${member} differs from that of the agent that is there with this id. Import with present=keep to leave it is, with present=update to change it`,
    );
  if (!dryRun) {
    const changed = await agents.change(accountId, fields.id, ports.now(), (found) => {
      const agent: Agent = { ...found, ...fields };
      return { agent, text: agentJson(agent) };
    });
    if (changed === "taken") refuse(AGENT_EMAIL_TAKEN);
  }
  return resultOf("updated", { ...stored, ...fields });
};
