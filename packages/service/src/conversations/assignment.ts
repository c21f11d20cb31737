import { AGENT_NOT_FOUND, type ConversationChange, GROUP_NOT_FOUND, INVALID_VALUE, refuse } from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";
import type { State, StateChange } from "./transitions.ts";

/** The agent and the group that a request names. An empty text unassigns, an absent member asks for nothing. */
type Named = Pick<ConversationChange, "assigned_agent_id" | "assigned_group_id">;

/**
 * Finds the agent and the group that a request names.
 * @errors AGENT_NOT_FOUND, GROUP_NOT_FOUND, INVALID_VALUE
 * @assumed A deactivated agent is refused, except where the conversation is that agent's already.
 */
export const assignmentOf = async (
  directory: Directory,
  accountId: number,
  { assigned_agent_id, assigned_group_id }: Named,
  present: Pick<State, "assigned_agent_id">,
): Promise<Pick<StateChange, "agent" | "group">> => {
  const agent = assigned_agent_id ? await directory.agent(accountId, assigned_agent_id) : undefined;
  if (assigned_agent_id && !agent) refuse(AGENT_NOT_FOUND);
  if (agent?.is_deactivated && agent.id !== present.assigned_agent_id)
    refuse(INVALID_VALUE, "assigned_agent_id names a deactivated agent: choose an active one.");
  const group = assigned_group_id ? await directory.group(accountId, assigned_group_id) : undefined;
  if (assigned_group_id && !group) refuse(GROUP_NOT_FOUND);
  return {
    agent: assigned_agent_id === "" ? null : agent,
    group: assigned_group_id === "" ? null : group?.id,
  };
};

/**
 * Reads organization-level ids as the ids of the same agent and group; an id of this service counts more.
 * @errors AGENT_NOT_FOUND, GROUP_NOT_FOUND
 */
export const withOrgIds = async (
  directory: Directory,
  accountId: number,
  {
    assigned_agent_id,
    assigned_group_id,
    assigned_org_agent_id,
    assigned_org_group_id,
  }: Pick<ConversationChange, keyof Named | "assigned_org_agent_id" | "assigned_org_group_id">,
): Promise<Named> => {
  const agent =
    !assigned_agent_id && assigned_org_agent_id
      ? ((await directory.agentByOrgId(accountId, assigned_org_agent_id)) ?? refuse(AGENT_NOT_FOUND))
      : undefined;
  const group =
    !assigned_group_id && assigned_org_group_id
      ? ((await directory.groupByOrgId(accountId, assigned_org_group_id)) ?? refuse(GROUP_NOT_FOUND))
      : undefined;
  return { assigned_agent_id: agent?.id ?? assigned_agent_id, assigned_group_id: group?.id ?? assigned_group_id };
};
