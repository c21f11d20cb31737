import type { ConversationChange, InboxItem, ListedAgent, Properties } from "@parley/contract";

/** Values that a change of a conversation sets. */
export type ChangeableState = Pick<InboxItem, "status" | "assigned_agent_id" | "assigned_group_id" | "properties">;

/** -> the properties after a change; an empty text or list removes a value */
export const changedProperties = (present: Properties, change: Properties = {}): Properties =>
  Object.fromEntries(Object.entries({ ...present, ...change }).filter(([, value]) => value.length > 0));

const stateOf = (
  status: InboxItem["status"],
  agent: string | undefined,
  group: string | undefined,
): Omit<ChangeableState, "properties"> => ({
  status,
  ...(agent ? { assigned_agent_id: agent } : {}),
  ...(group ? { assigned_group_id: group } : {}),
});

/** -> the state after a change, as the service is going to compute it; shown until it answers */
export const expectedState = (before: ChangeableState, change: ConversationChange): ChangeableState => {
  const properties = changedProperties(before.properties, change.properties);
  const agent = change.assigned_agent_id ?? before.assigned_agent_id;
  const group = change.assigned_group_id ?? before.assigned_group_id;
  if (change.status === "resolved") return { ...stateOf("resolved", agent, group), properties };
  if (change.status === "reopened" || change.status === "new")
    return { ...stateOf("new", undefined, group), properties };
  if (change.assigned_agent_id) return { ...stateOf("assigned", agent, group), properties };
  if (change.assigned_group_id) return { ...stateOf("new", undefined, group), properties };
  if (before.status === "resolved")
    return { ...stateOf("resolved", before.assigned_agent_id, before.assigned_group_id), properties };
  return { ...stateOf(agent ? "assigned" : "new", agent, group), properties };
};

const changedBack = (before: Properties, after: Properties): Properties =>
  Object.fromEntries(
    Object.keys({ ...before, ...after })
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
      .map((name) => [name, before[name] ?? ""]),
  );

/** -> the change that leads back from the state after a change to the state before */
export const reverseChange = (before: ChangeableState, after: ChangeableState): ConversationChange => {
  const properties = changedBack(before.properties, after.properties);
  const { status, assigned_agent_id = "", assigned_group_id = "" } = before;
  const isSame =
    status === after.status &&
    assigned_agent_id === (after.assigned_agent_id ?? "") &&
    assigned_group_id === (after.assigned_group_id ?? "");
  const back = (): ConversationChange => {
    if (isSame) return {};
    if (status === "resolved") return { status, ...(assigned_agent_id && { assigned_agent_id }) };
    if (status === "assigned") return { status, assigned_agent_id, assigned_group_id };
    if (after.status === "resolved") return { status: "reopened", assigned_group_id };
    return { assigned_agent_id: "", assigned_group_id };
  };
  return { ...back(), ...(Object.keys(properties).length > 0 && { properties }) };
};

const isMember = (agents: readonly ListedAgent[], agentId: string, groupId: string): boolean =>
  agents.find(({ id }) => id === agentId)?.groups.includes(groupId) === true;

/** -> the change that assigns an agent. A group of which the agent is not a member is removed: the service would refuse the agent otherwise. */
export const assignAgent = (
  before: ChangeableState,
  agentId: string | undefined,
  agents: readonly ListedAgent[],
): ConversationChange => {
  if (agentId === undefined) return { assigned_agent_id: "" };
  const group = before.assigned_group_id;
  const leavesGroup = group !== undefined && !isMember(agents, agentId, group);
  return { assigned_agent_id: agentId, ...(leavesGroup && { assigned_group_id: "" }) };
};

/** -> the change that assigns a group. An agent that is a member of it stays assigned. */
export const assignGroup = (
  before: ChangeableState,
  groupId: string | undefined,
  agents: readonly ListedAgent[],
): ConversationChange => {
  if (groupId === undefined) return { assigned_group_id: "" };
  const agent = before.status === "assigned" ? before.assigned_agent_id : undefined;
  const stays = agent !== undefined && isMember(agents, agent, groupId);
  return { assigned_group_id: groupId, ...(stays && { assigned_agent_id: agent }) };
};
