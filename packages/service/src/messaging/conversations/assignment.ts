import { AGENT_NOT_FOUND, type ConversationChange, GROUP_NOT_FOUND, INVALID_VALUE, refuse } from "@parley/contract";
import type { Directory } from "../directory/directory.ts";
import type { ConversationState, ConversationStateChange } from "./transitions.ts";

/** Agent and group named by a request. An empty string unassigns, an absent member leaves the assignment. */
type Named = Pick<ConversationChange, "assigned_agent_id" | "assigned_group_id">;

/**
 * Looks up the agent and the group named by a request.
 * @errors AGENT_NOT_FOUND, GROUP_NOT_FOUND, INVALID_VALUE
 * @assumed A deactivated agent is refused unless the conversation is already assigned to that agent.
 */
export const resolveAssignment = async (
  directory: Directory,
  accountId: number,
  { assigned_agent_id, assigned_group_id }: Named,
  present: Pick<ConversationState, "assigned_agent_id">,
): Promise<Pick<ConversationStateChange, "agent" | "group">> => {
  const agent = assigned_agent_id ? await directory.agent(accountId, assigned_agent_id) : undefined;
  if (assigned_agent_id && !agent) refuse(AGENT_NOT_FOUND);
  if (agent?.is_deactivated && agent.id !== present.assigned_agent_id)
    refuse(INVALID_VALUE, "assigned_agent_id names a deactivated agent: choose an active agent.");
  const group = assigned_group_id ? await directory.group(accountId, assigned_group_id) : undefined;
  if (assigned_group_id && !group) refuse(GROUP_NOT_FOUND);
  return {
    agent: assigned_agent_id === "" ? null : agent,
    group: assigned_group_id === "" ? null : group?.id,
  };
};

/**
 * Translates organization-level ids to ids of this service. An id of this service takes precedence.
 * @errors AGENT_NOT_FOUND, GROUP_NOT_FOUND
 */
export const resolveOrgIds = async (
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
