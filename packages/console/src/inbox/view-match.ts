import type { InboxFilter, InboxItem, InboxStatus, SessionAgent } from "@parley/contract";

/** The part of the signed-in agent that decides which conversations it sees, and which of them are its own. */
export type Viewer = Pick<SessionAgent, "agent_id" | "scope" | "groups">;

type Status = InboxItem["status"];
const OPEN: readonly Status[] = ["new", "assigned", "reopened"];
const STATUSES: Readonly<Record<InboxStatus, readonly Status[]>> = {
  open: OPEN,
  new: ["new", "reopened"],
  assigned: ["assigned"],
  resolved: ["resolved"],
  all: [...OPEN, "resolved"],
};

/** The service decides what an agent may see. This only removes conversations from the lists that have left the scope. */
const isInScope = (
  { assigned_agent_id, assigned_group_id }: InboxItem,
  { agent_id, scope, groups }: Viewer,
): boolean => {
  if (scope === "Global") return true;
  const isOfGroup = scope === "Group" && assigned_group_id !== undefined && groups.includes(assigned_group_id);
  return scope !== "None" && (assigned_agent_id === agent_id || isOfGroup);
};

const hasAgent = ({ assigned_agent_id }: InboxItem, wanted: string | undefined, { agent_id }: Viewer): boolean => {
  if (wanted === undefined) return true;
  if (wanted === "none") return assigned_agent_id === undefined;
  return assigned_agent_id === (wanted === "me" ? agent_id : wanted);
};

const hasGroup = ({ assigned_group_id }: InboxItem, wanted: string | undefined, { groups }: Viewer): boolean => {
  if (wanted === undefined) return true;
  if (wanted === "none") return assigned_group_id === undefined;
  return wanted === "mine"
    ? assigned_group_id !== undefined && groups.includes(assigned_group_id)
    : assigned_group_id === wanted;
};

const hasPriority = ({ properties }: InboxItem, wanted: string | undefined): boolean => {
  const priority = properties["priority"];
  return wanted === undefined || (wanted === "none" ? !priority : priority === wanted);
};

/** -> the name and the value of a filter by a property @shape property: `<name>:<value>` */
export const splitProperty = (property: string): { readonly name: string; readonly value: string } => {
  const end = property.indexOf(":");
  return { name: property.slice(0, end), value: property.slice(end + 1) };
};

const hasProperty = ({ properties }: InboxItem, wanted: string | undefined): boolean => {
  if (wanted === undefined) return true;
  const { name, value } = splitProperty(wanted);
  const present = properties[name];
  return typeof present === "string" ? present === value : (present ?? []).includes(value);
};

/** Whether a view contains a conversation. */
export const matchesView = (item: InboxItem, filter: InboxFilter, viewer: Viewer): boolean => {
  const { status = "open", agent, group, channel, priority, property, user, unread } = filter;
  return (
    isInScope(item, viewer) &&
    STATUSES[status].includes(item.status) &&
    hasAgent(item, agent, viewer) &&
    hasGroup(item, group, viewer) &&
    (channel === undefined || item.channel_id === channel) &&
    hasPriority(item, priority) &&
    hasProperty(item, property) &&
    (user === undefined || item.customer.id === user) &&
    (unread === undefined || item.unread > 0 === unread)
  );
};
