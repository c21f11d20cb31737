import { createHash } from "node:crypto";
import type { InboxFilter, InboxStatus } from "@parley/contract";
import type { CallerAgent } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import { PRIORITY_RANKS } from "./fold.sql.ts";

/** The part of an agent that decides which conversations it sees, and which of them are its own or unread. */
export type InboxViewer = Pick<CallerAgent, "id" | "scope" | "groups">;

/**
 * Conversations with the same restriction of agent and group. The segments of a view have no conversation in common.
 * Absent members restrict nothing; null: nobody is assigned.
 */
export interface InboxSegment {
  readonly agent?: string | null | undefined;
  /** Any agent but this agent, or no agent. */
  readonly exceptAgent?: string | undefined;
  readonly groups?: readonly string[] | null | undefined;
}

/** The conversations of a view that are within the scope of an agent. */
export interface InboxView {
  /** Without segments the view is empty. */
  readonly segments: readonly InboxSegment[];
  readonly statuses: readonly string[];
  readonly channel?: string | undefined;
  /** Rank of the priority. */
  readonly priority?: number | undefined;
  /** Key of a property and its value. */
  readonly property?: string | undefined;
  readonly user?: string | undefined;
  /** Only these conversations. */
  readonly ids?: readonly string[] | undefined;
  readonly unread?: boolean | undefined;
}

const STATUSES: Readonly<Record<InboxStatus, readonly string[]>> = {
  open: ["new", "assigned"],
  new: ["new"],
  assigned: ["assigned"],
  resolved: ["resolved"],
  all: ["new", "assigned", "resolved"],
};
export const OPEN_STATUSES = STATUSES.open;

const groupsOf = ({ groups }: InboxViewer): readonly string[] => [
  ...new Set(groups.filter(isUuid).map((id) => id.toLowerCase())),
];

/** Segments that the scope of an agent contains. */
export const segmentsOfScope = (viewer: InboxViewer): readonly InboxSegment[] => {
  switch (viewer.scope) {
    case "None":
      return [];
    case "Me":
      return [{ agent: viewer.id }];
    case "Group":
      return [{ agent: viewer.id }, { exceptAgent: viewer.id, groups: groupsOf(viewer) }];
    case "Global":
      return [{}];
  }
};

const agentsIn = (one: InboxSegment, other: InboxSegment): Pick<InboxSegment, "agent" | "exceptAgent"> | undefined => {
  if (one.agent !== undefined && other.agent !== undefined && one.agent !== other.agent) return undefined;
  const agent = one.agent === undefined ? other.agent : one.agent;
  const exceptAgent = one.exceptAgent ?? other.exceptAgent;
  if (agent === undefined) return { exceptAgent };
  return agent === exceptAgent ? undefined : { agent };
};

const groupsIn = ({ groups: one }: InboxSegment, { groups: other }: InboxSegment): InboxSegment["groups"] => {
  if (one === undefined) return other;
  if (other === undefined) return one;
  if (one === null || other === null) return one === other ? null : [];
  return one.filter((id) => other.includes(id));
};

/** The conversations that two segments have in common. -> a list of no or one segment */
const intersectionOf = (one: InboxSegment, other: InboxSegment): readonly InboxSegment[] => {
  const agents = agentsIn(one, other);
  const groups = groupsIn(one, other);
  return agents === undefined || groups?.length === 0 ? [] : [{ ...agents, groups }];
};

/** Lower case, since ids are compared as texts. -> undefined for a text that no uuid column contains */
const idOf = (text: string): string | undefined => (isUuid(text) ? text.toLowerCase() : undefined);

/** -> undefined: nothing matches */
const segmentOfFilter = ({ agent, group }: InboxFilter, viewer: InboxViewer): InboxSegment | undefined => {
  const agentId = agent === "me" ? viewer.id : agent === "none" ? null : agent && idOf(agent);
  const groupId = group && idOf(group);
  const groups =
    group === "mine" ? groupsOf(viewer) : group === "none" ? null : groupId === undefined ? undefined : [groupId];
  const isUnknown = (agent !== undefined && agentId === undefined) || (group !== undefined && groups === undefined);
  return isUnknown ? undefined : { agent: agentId, groups };
};

/** Key of a property and its value, as the projection computes it. @shape property: `<name>:<value>` */
const propertyKey = (property: string): string => createHash("sha256").update(property).digest("hex").slice(0, 32);

/**
 * The conversations that a filter describes, within the scope of an agent.
 * @assumed An unknown agent, group, topic, priority or customer matches nothing. The priority `none` matches conversations without a priority.
 */
export const viewOf = (filter: InboxFilter, viewer: InboxViewer): InboxView => {
  const { status = "open", channel, priority, property, user, unread } = filter;
  const rank = priority === undefined ? undefined : PRIORITY_RANKS.findIndex((name) => name === priority);
  const [channelId, userId] = [channel && idOf(channel), user && idOf(user)];
  const isUnknown = rank === -1 || (channel !== undefined && !channelId) || (user !== undefined && !userId);
  const wanted = isUnknown ? undefined : segmentOfFilter(filter, viewer);
  return {
    segments: wanted ? segmentsOfScope(viewer).flatMap((segment) => intersectionOf(segment, wanted)) : [],
    statuses: STATUSES[status],
    channel: channelId,
    priority: rank,
    property: property === undefined ? undefined : propertyKey(property),
    user: userId,
    unread,
  };
};
