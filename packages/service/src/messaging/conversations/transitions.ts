import {
  AGENT_NOT_IN_GROUP,
  type ActorType,
  type ConversationStatus,
  INVALID_VALUE,
  MISSING_PARAMETER,
  refuse,
  RESPONSE_RESTRICTED,
} from "@parley/contract";

/** State of a conversation. `assigned` has an agent, `new` has no agent, `resolved` keeps its last agent. */
export interface ConversationState {
  readonly status: "new" | "assigned" | "resolved";
  readonly assigned_agent_id: string | null;
  readonly assigned_group_id: string | null;
  /** A bot has disabled further responses of the user. */
  readonly restricted: boolean;
}

/** Requested change. An absent member leaves the value, null unassigns. */
export interface ConversationStateChange {
  readonly status?: ConversationStatus | undefined;
  readonly agent?: { readonly id: string; readonly groups: readonly string[] } | null | undefined;
  readonly group?: string | null | undefined;
}

/** The aspects of a message that can change a conversation's state. */
interface IncomingMessage {
  readonly actor_type: ActorType;
  /** `restrictResponse` of a bot's message. */
  readonly restricts?: boolean | undefined;
  /** Whether it replies to a message of the conversation's current interaction. */
  readonly answersInteraction?: boolean;
}

/** State before the first assignment. */
export const INITIAL_STATE: ConversationState = {
  status: "new",
  assigned_agent_id: null,
  assigned_group_id: null,
  restricted: false,
};

/**
 * The state after an update.
 * @spec States and transitions > Conversation status
 * @errors AGENT_NOT_IN_GROUP, INVALID_VALUE, MISSING_PARAMETER
 * @assumed An update without a status that names an agent or a group counts as an update with status assigned. With reopened
 * and new an agent is refused, since a conversation that they open has no agent afterwards. An open conversation is reopened already, so that a
 * repeated or late reopening is not an error: reopened alone leaves its agent and group as they are, and a group that is given with it is
 * assigned. The status new unassigns the agent of an open conversation.
 */
export const stateAfterUpdate = (state: ConversationState, change: ConversationStateChange): ConversationState => {
  switch (change.status) {
    case "resolved":
      return resolve(state, change);
    case "new":
      return open(state, change);
    case "reopened":
      return state.status === "assigned" ? assign(state, withoutAgent(change)) : open(state, change);
    case "assigned":
      if (change.agent === undefined && change.group === undefined)
        refuse(MISSING_PARAMETER, "assigned_agent_id is mandatory when status is assigned and no group is given.");
      return assign(state, change);
    case undefined:
      return assign(state, change);
  }
};

/** @assumed A group without an agent unassigns the conversation's agent. Any assignment lets the user respond again. */
const assign = (state: ConversationState, { agent, group }: ConversationStateChange): ConversationState => {
  if (agent) {
    const assigned_group_id = group === undefined ? state.assigned_group_id : group;
    if (assigned_group_id !== null && !agent.groups.includes(assigned_group_id)) refuse(AGENT_NOT_IN_GROUP);
    return { status: "assigned", assigned_agent_id: agent.id, assigned_group_id, restricted: false };
  }
  if (group) return { status: "new", assigned_agent_id: null, assigned_group_id: group, restricted: false };
  if (state.status === "resolved") return state;
  const assigned_agent_id = agent === null ? null : state.assigned_agent_id;
  return {
    status: assigned_agent_id === null ? "new" : "assigned",
    assigned_agent_id,
    assigned_group_id: group === null ? null : state.assigned_group_id,
    restricted: state.restricted,
  };
};

/** @assumed An update to resolved first assigns its agent and group where they differ from the present agent and group. */
const resolve = (state: ConversationState, { agent, group }: ConversationStateChange): ConversationState => {
  if (state.status === "resolved") return state;
  const assigned = assign(state, { agent, group: group === state.assigned_group_id ? undefined : group });
  return { ...assigned, status: "resolved", restricted: state.restricted };
};

/** @errors INVALID_VALUE for an agent */
const withoutAgent = (change: ConversationStateChange): ConversationStateChange =>
  change.agent
    ? refuse(
        INVALID_VALUE,
        `assigned_agent_id can't be given with the status ${change.status}, which opens a conversation without an agent: send the status assigned.`,
      )
    : change;

const open = (state: ConversationState, change: ConversationStateChange): ConversationState => {
  const { group } = withoutAgent(change);
  return {
    status: "new",
    assigned_agent_id: null,
    assigned_group_id: group === undefined ? state.assigned_group_id : group,
    restricted: false,
  };
};

/**
 * The state after a message. A user's message reopens a resolved conversation unless it replies to a message of the
 * resolved interaction.
 * @errors RESPONSE_RESTRICTED
 * @assumed A bot's restrictResponse true lasts until the conversation is reopened or assigned, or a bot's message sets
 * it to false. It has no effect while the conversation is assigned to an agent: the bot has neither resolved nor stopped
 * it.
 */
export const stateAfterMessage = (
  state: ConversationState,
  { actor_type, restricts, answersInteraction }: IncomingMessage,
): ConversationState => {
  if (actor_type === "bot" && restricts !== undefined) return { ...state, restricted: restricts };
  if (actor_type !== "user") return state;
  if (state.restricted && state.status !== "assigned") refuse(RESPONSE_RESTRICTED);
  return state.status === "resolved" && !answersInteraction ? open(state, {}) : state;
};

/** The system message that accompanies a change of state. @spec Resources and their fields > Message object */
export const systemMessageOf = (
  before: ConversationState,
  after: ConversationState,
): "isResolved" | "isReopen" | undefined => {
  if (before.status === after.status) return undefined;
  if (after.status === "resolved") return "isResolved";
  return before.status === "resolved" ? "isReopen" : undefined;
};

/** Whether two states are equal, so that nothing has to be written. */
export const isSameState = (one: ConversationState, other: ConversationState): boolean =>
  one.status === other.status &&
  one.assigned_agent_id === other.assigned_agent_id &&
  one.assigned_group_id === other.assigned_group_id &&
  one.restricted === other.restricted;
