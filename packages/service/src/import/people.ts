import {
  AGENT_EMAIL_TAKEN,
  AGENT_STATUS_NOT_FOUND,
  CONFLICT,
  GROUP_NOT_FOUND,
  refuse,
  type Agent,
  type ImportedAgent,
  type Present,
} from "@parley/contract";
import { agentJson, newAgent, findStatus, findRole, DEFAULT_ROLE_ID, roleScope } from "../agents/agent.ts";
import { checkEmail } from "../accounts/profile-fields.ts";
import type { AgentStore } from "../agents/store.ts";
import type { DirectoryAgent } from "../directory/directory.ts";
import type { Ports } from "../environment/ports.ts";
import type { AccountDirectory } from "./account-directory.ts";
import { differsFromStored, recordTime } from "./record-fields.ts";

interface AgentDeps {
  readonly roll: AccountDirectory;
  readonly agents: AgentStore;
  readonly present: Present;
  readonly dryRun: boolean;
  readonly ports: Ports;
}

/** The members in the record, as the agent object has them. @errors GROUP_NOT_FOUND, AGENT_STATUS_NOT_FOUND, ROLE_NOT_FOUND */
const givenAgent = (roll: AccountDirectory, record: ImportedAgent): Partial<Agent> & Pick<Agent, "id" | "email"> => {
  const { type: _type, groups, role_id, role_name, agent_status, created_time, ...given } = record;
  const ids = groups?.map(roll.groupId);
  if (ids?.some((id) => !roll.hasGroup(id)))
    refuse(GROUP_NOT_FOUND, "groups names a group that the account doesn't have");
  const role = findRole(roll.roles, { role_id, role_name });
  const status = agent_status && findStatus(roll.statuses, agent_status);
  if (agent_status && !status) refuse(AGENT_STATUS_NOT_FOUND);
  return {
    ...given,
    id: roll.idOf("agent", record.id),
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
const wholeAgent = (roll: AccountDirectory, given: ReturnType<typeof givenAgent>, ports: Ports): Agent => {
  const role = findRole(roll.roles, given) ?? findRole(roll.roles, { role_id: DEFAULT_ROLE_ID });
  if (!role) throw new Error("every account has the usual role");
  const named = { groups: [], role };
  return { ...newAgent({ email: given.email }, named, undefined, ports), availability_status: "UNAVAILABLE", ...given };
};

/**
 * Imports one agent.
 * @errors AGENT_EMAIL_TAKEN, CONFLICT, GROUP_NOT_FOUND, AGENT_STATUS_NOT_FOUND, ROLE_NOT_FOUND
 * @assumed An agent whose record contains no status is not available.
 */
export const importAgent = async (
  record: ImportedAgent,
  { roll, agents, present, dryRun, ports }: AgentDeps,
): Promise<{ readonly outcome: "created" | "updated" | "unchanged"; readonly agent: DirectoryAgent }> => {
  checkEmail(record.email);
  const given = givenAgent(roll, record);
  const { id: accountId } = roll.account;
  const body = await agents.body(accountId, given.id);
  const told = (outcome: "created" | "updated" | "unchanged", agent: Agent) => ({
    outcome,
    // The table assigns internal_id.
    agent: { ...agent, internal_id: roll.agents.get(agent.id)?.internal_id ?? 0 },
  });
  if (body === undefined) {
    const isTaken = [...roll.agents.values()].some(
      ({ email, id }) => email.toLowerCase() === given.email.toLowerCase() && id !== given.id,
    );
    if (isTaken) refuse(AGENT_EMAIL_TAKEN);
    const agent = wholeAgent(roll, given, ports);
    if (!dryRun && !(await agents.add(accountId, { agent, text: agentJson(agent) }))) refuse(AGENT_EMAIL_TAKEN);
    return told("created", agent);
  }
  const stored = JSON.parse(body) as Agent;
  const member = differsFromStored({ ...given }, { ...stored });
  if (member === undefined || present === "keep") return told("unchanged", stored);
  if (present === "refuse")
    refuse(
      CONFLICT,
      `${member} differs from that of the agent that is there with this id. Import with present=keep to leave it is, with present=update to change it`,
    );
  if (!dryRun) {
    const changed = await agents.change(accountId, given.id, ports.now(), (found) => {
      const agent: Agent = { ...found, ...given };
      return { agent, text: agentJson(agent) };
    });
    if (changed === "taken") refuse(AGENT_EMAIL_TAKEN);
  }
  return told("updated", { ...stored, ...given });
};
