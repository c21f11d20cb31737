import { type Changes, type StreamEventKind, WEBHOOK_ACTIONS, type WebhookAction } from "@parley/contract";

/** The columns of an event that decide which actions it is. */
interface ActionSource {
  readonly kind: StreamEventKind;
  /** Status of the conversation after the event; absent for an event without a conversation. */
  readonly status?: string | null | undefined;
  readonly assigned_agent_id?: string | null | undefined;
  readonly assigned_group_id?: string | null | undefined;
  readonly changes: string | null;
}

/** Assignment of a conversation before and after an event. */
interface Assignment {
  readonly from: { readonly agent: string | null; readonly group: string | null };
  readonly to: { readonly agent: string | null; readonly group: string | null };
}

/** The actions that an event of each kind can be, in the order in which they are delivered. */
const ACTIONS_BY_KIND = {
  user_create: [],
  user_update: [],
  message_create: ["message_create"],
  conversation_create: ["conversation_assignment", "conversation_resolution"],
  conversation_update: ["conversation_reopen", "conversation_assignment", "conversation_resolution"],
  outbound_message_update: ["outbound_message_update"],
} as const satisfies Readonly<Record<StreamEventKind, readonly WebhookAction[]>>;

const actionsOf = (kind: StreamEventKind): readonly WebhookAction[] => ACTIONS_BY_KIND[kind];

/** All actions. An action that no kind lists, and that would never be delivered, does not compile here. */
const ACTIONS: readonly (typeof ACTIONS_BY_KIND)[StreamEventKind][number][] = WEBHOOK_ACTIONS;

const isAction = (text: string): text is WebhookAction => ACTIONS.some((action) => action === text);

/** The known actions of an endpoint; null: all. */
export const chosenActions = (actions: readonly string[] | null): readonly WebhookAction[] =>
  actions === null ? ACTIONS : actions.filter(isAction);

/** Whether an event of the kind can be one of the actions. Another process of a later release may write kinds that this one does not have. */
export const isPossibleAction = (kind: StreamEventKind, actions: readonly string[] | null): boolean =>
  Object.hasOwn(ACTIONS_BY_KIND, kind) &&
  actionsOf(kind).some((action) => actions === null || actions.includes(action));

const changesOf = ({ changes }: ActionSource): Changes["model_changes"] =>
  changes === null ? {} : (JSON.parse(changes) as Changes).model_changes;

/** The value before a change; the present value when it did not change. */
const before = (change: readonly [unknown, unknown] | undefined, now: string | null): string | null =>
  change === undefined ? now : (change[0] as string | null);

export const webhookAssignmentOf = (event: ActionSource): Assignment => {
  const { assigned_agent_id: agent = null, assigned_group_id: group = null } = event;
  if (event.kind === "conversation_create") return { from: { agent: null, group: null }, to: { agent, group } };
  const changes = changesOf(event);
  const from = {
    agent: before(changes["assigned_agent_id"], agent),
    group: before(changes["assigned_group_id"], group),
  };
  return { from, to: { agent, group } };
};

/** A reopening that only removes the agent. */
const onlyUnassigns = ({ from, to }: Assignment): boolean => to.agent === null && from.group === to.group;

const statusBefore = (event: ActionSource): string | null =>
  event.kind === "conversation_create" ? "new" : before(changesOf(event)["status"], event.status ?? null);

const isReopened = (event: ActionSource): boolean => statusBefore(event) === "resolved" && event.status !== "resolved";

const isAssigned = (event: ActionSource): boolean => {
  const assignment = webhookAssignmentOf(event);
  const { from, to } = assignment;
  return (from.agent !== to.agent || from.group !== to.group) && !(isReopened(event) && onlyUnassigns(assignment));
};

/**
 * Whether an event of a kind that can be the action is the action.
 * @assumed A conversation that begins with an agent or a group, or as resolved, is delivered as an assignment, or as a resolution. A
 * conversation that is reopened is delivered as a reopening first, and as an assignment too when it goes to an agent or another group. A
 * conversation that is assigned and resolved by one update is delivered as an assignment first. Removing the agent is an assignment with
 * an empty to_agent_id.
 */
const ACTION_CONDITIONS: Readonly<Record<WebhookAction, (event: ActionSource) => boolean>> = {
  message_create: () => true,
  conversation_reopen: isReopened,
  conversation_assignment: isAssigned,
  conversation_resolution: (event) => event.status === "resolved" && statusBefore(event) !== "resolved",
  outbound_message_update: () => true,
};

/** The actions of an event, in the order in which they are delivered. */
export const webhookActionsOf = (event: ActionSource): readonly WebhookAction[] =>
  actionsOf(event.kind).filter((action) => ACTION_CONDITIONS[action](event));
