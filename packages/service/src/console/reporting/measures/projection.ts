import type { ActorType, Changes } from "@parley/contract";
import type { Measure, MeasureKind } from "./measures.ts";

/** A row of the table `interactions`: a conversation from its start or reopening to its resolution. */
export interface Interaction {
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly account_id: number;
  readonly created_time: Date;
  readonly reopened: boolean;
  readonly channel_id: string;
  readonly user_id: string;
  readonly group_id: string | null;
  readonly agent_id: string | null;
  readonly first_assigned_time: Date | null;
  readonly first_response_time: Date | null;
  readonly first_response_agent_id: string | null;
  readonly responses: number;
  readonly resolved_time: Date | null;
  readonly resolved_agent_id: string | null;
  readonly resolved_group_id: string | null;
  readonly resolver_type: ActorType | null;
  readonly resolver_id: string | null;
  /** Time of the first message of the user that no agent has answered yet. */
  readonly waiting_since: Date | null;
}

/** Primary key of an interaction. */
export type InteractionKey = Pick<Interaction, "conversation_id" | "interaction_id">;

const keyOf = ({ conversation_id, interaction_id }: InteractionKey): string => `${conversation_id} ${interaction_id}`;

/** The columns that the projection reads of each event. */
interface EventColumns {
  readonly seq: number;
  readonly account_id: number;
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly created_time: Date;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
}

/** A conversation began or changed; the state is that of the event's revision. */
interface StateEvent extends EventColumns {
  readonly kind: "conversation_create" | "conversation_update";
  readonly channel_id: string;
  readonly user_id: string;
  readonly status: "new" | "assigned" | "resolved";
  readonly agent_id: string | null;
  readonly group_id: string | null;
  /** JSON text of the contract's `Changes`; null on create. */
  readonly changes: string | null;
}

/** A user or an agent sent a message. */
interface MessageCreatedEvent extends EventColumns {
  readonly kind: "message_create";
  readonly message_id: string;
  /** Known for messages of agents only. */
  readonly message_type: string | null;
}

export type AnalyticsEvent = StateEvent | MessageCreatedEvent;

/** A row of the table `assignments`. */
interface Assignment {
  readonly seq: number;
  readonly kind: "agent" | "group";
  readonly account_id: number;
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly created_time: Date;
  readonly from_id: string | null;
  readonly to_id: string | null;
  readonly actor_type: string;
  readonly actor_id: string | null;
}

/** A row of the table `responses`. */
interface Response {
  readonly message_id: string;
  readonly account_id: number;
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly created_time: Date;
  readonly agent_id: string | null;
  readonly group_id: string | null;
  readonly first: boolean;
  readonly value_in_seconds: number;
}

/** Result of projecting events. */
export interface InteractionUpdate {
  /** Interactions that began or changed, as they are after the events. */
  readonly interactions: readonly Interaction[];
  readonly assignments: readonly Assignment[];
  readonly responses: readonly Response[];
  readonly measures: readonly Measure[];
}

/** Results that accumulate while events are read in their order. */
interface ProjectionResults {
  readonly byKey: Map<string, Interaction>;
  readonly changed: Set<string>;
  readonly assignments: Assignment[];
  readonly responses: Response[];
  readonly measures: Measure[];
}

/** A clock that was set back makes no duration negative. */
const between = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime());

const setInteraction = ({ byKey, changed }: ProjectionResults, interaction: Interaction): void => {
  byKey.set(keyOf(interaction), interaction);
  changed.add(keyOf(interaction));
};

const measure = (
  { measures }: ProjectionResults,
  kind: MeasureKind,
  { account_id, group_id, agent_id }: Pick<Measure, "account_id" | "group_id" | "agent_id">,
  time: Date,
  ms: number | null,
): void => void measures.push({ kind, account_id, group_id, agent_id, time, ms });

const assign = (
  { assignments }: ProjectionResults,
  event: StateEvent,
  kind: Assignment["kind"],
  change: readonly unknown[],
) => {
  const { seq, account_id, conversation_id, interaction_id, created_time, actor_type, actor_id } = event;
  const [from_id = null, to_id = null] = change as readonly (string | null)[];
  if (from_id === to_id) return;
  const assignment = { seq, kind, account_id, conversation_id, interaction_id, created_time, from_id, to_id };
  assignments.push({ ...assignment, actor_type, actor_id });
};

const newInteraction = (event: StateEvent): Interaction => ({
  conversation_id: event.conversation_id,
  interaction_id: event.interaction_id,
  account_id: event.account_id,
  created_time: event.created_time,
  reopened: event.kind === "conversation_update",
  channel_id: event.channel_id,
  user_id: event.user_id,
  group_id: null,
  agent_id: null,
  first_assigned_time: null,
  first_response_time: null,
  first_response_agent_id: null,
  responses: 0,
  resolved_time: null,
  resolved_agent_id: null,
  resolved_group_id: null,
  resolver_type: null,
  resolver_id: null,
  waiting_since: null,
});

/** Applies the state of the event's revision to the interaction. */
const applyState = (results: ProjectionResults, before: Interaction, event: StateEvent): void => {
  const { created_time: time, agent_id, group_id, status } = event;
  const isAssigned = agent_id !== null && before.first_assigned_time === null;
  const isResolved = status === "resolved" && before.resolved_time === null;
  if (isAssigned) measure(results, "wait", event, time, between(before.created_time, time));
  if (isResolved) measure(results, "resolution", event, time, between(before.created_time, time));
  setInteraction(results, {
    ...before,
    agent_id,
    group_id,
    ...(isAssigned && { first_assigned_time: time }),
    ...(isResolved && {
      resolved_time: time,
      resolved_agent_id: agent_id,
      resolved_group_id: group_id,
      resolver_type: event.actor_type,
      resolver_id: event.actor_id,
      waiting_since: null,
    }),
  });
};

/**
 * @assumed An interaction whose beginning is not in the log counts in no metric and no report; the conversation counts from its next
 * reopening.
 */
const projectStateEvent = (results: ProjectionResults, event: StateEvent): void => {
  const changes = event.changes === null ? {} : (JSON.parse(event.changes) as Changes).model_changes;
  const isReopened = changes["status"]?.[0] === "resolved" && event.status !== "resolved";
  const isBegun = event.kind === "conversation_create" || isReopened;
  const before = isBegun ? newInteraction(event) : results.byKey.get(keyOf(event));
  if (!before) return;
  if (isBegun) measure(results, "created", event, event.created_time, null);
  const isCreated = event.kind === "conversation_create";
  assign(results, event, "agent", isCreated ? [null, event.agent_id] : (changes["assigned_agent_id"] ?? []));
  assign(results, event, "group", isCreated ? [null, event.group_id] : (changes["assigned_group_id"] ?? []));
  applyState(results, before, event);
};

/**
 * @assumed A response is an agent's message to the user while a message of the user is unanswered; its time counts from the first
 * unanswered message. Private and system messages and messages of bots are not responses, nor are the messages of a conversation that
 * begins as resolved.
 */
const projectMessage = (results: ProjectionResults, event: MessageCreatedEvent): void => {
  const before = results.byKey.get(keyOf(event));
  if (!before || before.resolved_time !== null) return;
  const { created_time, message_id, account_id, conversation_id, interaction_id, actor_id: agent_id } = event;
  const { waiting_since, group_id } = before;
  if (event.actor_type === "user") {
    if (waiting_since === null) setInteraction(results, { ...before, waiting_since: created_time });
    return;
  }
  if (event.actor_type !== "agent" || event.message_type !== "normal" || waiting_since === null) return;
  const first = before.first_response_time === null;
  const ms = between(waiting_since, created_time);
  const responseKey = { message_id, account_id, conversation_id, interaction_id, created_time };
  results.responses.push({ ...responseKey, agent_id, group_id, first, value_in_seconds: ms / 1000 });
  measure(results, "response", { account_id, group_id, agent_id }, created_time, ms);
  if (first) measure(results, "first_response", { account_id, group_id, agent_id }, created_time, ms);
  setInteraction(results, {
    ...before,
    waiting_since: null,
    responses: before.responses + 1,
    ...(first && { first_response_time: created_time, first_response_agent_id: agent_id }),
  });
};

/** Projects events in their order. @shape before: the interactions that the events name */
export const projectEvents = (events: readonly AnalyticsEvent[], before: readonly Interaction[]): InteractionUpdate => {
  const results: ProjectionResults = {
    byKey: new Map(before.map((each) => [keyOf(each), each])),
    changed: new Set(),
    assignments: [],
    responses: [],
    measures: [],
  };
  for (const event of events) {
    if (event.kind === "message_create") projectMessage(results, event);
    else projectStateEvent(results, event);
  }
  const { assignments, responses, measures } = results;
  const interactions = [...results.changed].flatMap((key) => results.byKey.get(key) ?? []);
  return { interactions, assignments, responses, measures };
};

/** Change of the number of open interactions of a group and an agent. */
export interface OpenChange {
  readonly account_id: number;
  readonly group_id: string | null;
  readonly agent_id: string | null;
  count: number;
}

export const openChanges = (before: readonly Interaction[], after: readonly Interaction[]): OpenChange[] => {
  const changes = new Map<string, OpenChange>();
  const count = ({ account_id, group_id, agent_id, resolved_time }: Interaction, by: number) => {
    if (resolved_time !== null) return;
    const key = `${account_id} ${group_id} ${agent_id}`;
    const change = changes.get(key) ?? { account_id, group_id, agent_id, count: 0 };
    changes.set(key, change);
    change.count += by;
  };
  const touched = new Set(after.map(keyOf));
  for (const each of before) if (touched.has(keyOf(each))) count(each, -1);
  for (const each of after) count(each, 1);
  return [...changes.values()].filter((change) => change.count !== 0);
};
