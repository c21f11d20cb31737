import {
  AGENT_NOT_IN_GROUP,
  type ActorType,
  type ConversationStatus,
  INVALID_TRANSITION,
  INVALID_VALUE,
  MISSING_PARAMETER,
  refuse,
  RESPONSE_RESTRICTED,
} from "@parley/contract";

/** Where a conversation stands. `assigned` has an agent, `new` has none, `resolved` keeps the one that it had. */
export interface State {
  readonly status: "new" | "assigned" | "resolved";
  readonly assigned_agent_id: string | null;
  readonly assigned_group_id: string | null;
  /** A bot takes no further response from the user. */
  readonly restricted: boolean;
}

/** What an update asks for. An absent member asks for nothing, null unassigns. */
export interface StateChange {
  readonly status?: ConversationStatus | undefined;
  readonly agent?: { readonly id: string; readonly groups: readonly string[] } | null | undefined;
  readonly group?: string | null | undefined;
}

/** What of a message can change a conversation's state. */
export interface Arrival {
  readonly actor_type: ActorType;
  /** `restrictResponse` of a bot's message. */
  readonly restricts?: boolean | undefined;
  /** Whether it answers a message of the interaction that the conversation is in. */
  readonly answersInteraction?: boolean;
}

/** Before the first assignment. */
export const BEGINNING: State = {
  status: "new",
  assigned_agent_id: null,
  assigned_group_id: null,
  restricted: false,
};

/**
 * The state after an update.
 * @spec States and transitions > Conversation status
 * @errors AGENT_NOT_IN_GROUP, INVALID_TRANSITION, INVALID_VALUE, MISSING_PARAMETER
 * @assumed An update without a status that names an agent or a group counts as one with status assigned. With reopened and new an agent is
 * refused, since the conversation would have none afterwards.
 */
export const transition = (state: State, change: StateChange): State => {
  switch (change.status) {
    case "resolved":
      return resolve(state, change);
    case "new":
      return open(state, change);
    case "reopened":
      if (state.status === "assigned")
        refuse(
          INVALID_TRANSITION,
          "An assigned conversation is open and can't be reopened: send the status new to unassign its agent.",
        );
      return open(state, change);
    case "assigned":
      if (change.agent === undefined && change.group === undefined)
        refuse(MISSING_PARAMETER, "assigned_agent_id is mandatory when status is assigned and no group is given.");
      return assign(state, change);
    case undefined:
      return assign(state, change);
  }
};

/** @assumed A group without an agent takes the conversation from its agent. Any assignment lets the user respond again. */
const assign = (state: State, { agent, group }: StateChange): State => {
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

/** @assumed Agent and group of an update to resolved are assigned first, where they are others than the present ones. */
const resolve = (state: State, { agent, group }: StateChange): State => {
  if (state.status === "resolved") return state;
  const assigned = assign(state, { agent, group: group === state.assigned_group_id ? undefined : group });
  return { ...assigned, status: "resolved", restricted: state.restricted };
};

const open = (state: State, { agent, group, status }: StateChange): State => {
  if (agent)
    refuse(
      INVALID_VALUE,
      `assigned_agent_id can't be given with the status ${status}, which leaves a conversation without an agent: send the status assigned.`,
    );
  return {
    status: "new",
    assigned_agent_id: null,
    assigned_group_id: group === undefined ? state.assigned_group_id : group,
    restricted: false,
  };
};

/**
 * The state after a message: a user's message reopens, unless it answers a message of the interaction that was resolved.
 * @errors RESPONSE_RESTRICTED
 * @assumed A bot's restrictResponse true holds until the conversation is reopened or assigned, or a bot's message says false. In a
 * conversation that an agent has it restricts nothing as long as it is assigned: the bot has neither resolved nor stopped it.
 */
export const afterMessage = (state: State, { actor_type, restricts, answersInteraction }: Arrival): State => {
  if (actor_type === "bot" && restricts !== undefined) return { ...state, restricted: restricts };
  if (actor_type !== "user") return state;
  if (state.restricted && state.status !== "assigned") refuse(RESPONSE_RESTRICTED);
  return state.status === "resolved" && !answersInteraction ? open(state, {}) : state;
};

/** Which system message goes with the way from one state to the next. @spec Resources and their fields > Message object */
export const turnOf = (before: State, after: State): "isResolved" | "isReopen" | undefined => {
  if (before.status === after.status) return undefined;
  if (after.status === "resolved") return "isResolved";
  return before.status === "resolved" ? "isReopen" : undefined;
};

/** Whether anything is to be written. */
export const isSameState = (one: State, other: State): boolean =>
  one.status === other.status &&
  one.assigned_agent_id === other.assigned_agent_id &&
  one.assigned_group_id === other.assigned_group_id &&
  one.restricted === other.restricted;
