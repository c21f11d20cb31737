import { type Changes, WEBHOOK_ACTIONS, type WebhookAction } from "@parley/contract";

/** The columns of an event that decide which actions it is. */
interface Deed {
  readonly kind: string;
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

/** The actions that events of each kind can be. */
const POSSIBLE: Readonly<Record<string, readonly WebhookAction[]>> = {
  message_create: ["message_create"],
  conversation_create: ["conversation_assignment", "conversation_resolution"],
  conversation_update: ["conversation_reopen", "conversation_assignment", "conversation_resolution"],
  outbound_message_update: ["outbound_message_update"],
};

const isAction = (text: string): text is WebhookAction => WEBHOOK_ACTIONS.some((action) => action === text);

/** The known actions of an endpoint; null: all. */
export const chosenActions = (actions: readonly string[] | null): readonly WebhookAction[] =>
  actions === null ? WEBHOOK_ACTIONS : actions.filter(isAction);

/** Whether an event of the kind can be one of the actions. */
export const isPossibleAction = (kind: string, actions: readonly string[] | null): boolean =>
  Object.hasOwn(POSSIBLE, kind) &&
  (POSSIBLE[kind]?.some((action) => actions === null || actions.includes(action)) ?? false);

const changesOf = ({ changes }: Deed): Changes["model_changes"] =>
  changes === null ? {} : (JSON.parse(changes) as Changes).model_changes;

/** The value before a change; the present value when it did not change. */
const before = (change: readonly [unknown, unknown] | undefined, now: string | null): string | null =>
  change === undefined ? now : (change[0] as string | null);

export const webhookAssignmentOf = (deed: Deed): Assignment => {
  const { assigned_agent_id: agent = null, assigned_group_id: group = null } = deed;
  if (deed.kind === "conversation_create") return { from: { agent: null, group: null }, to: { agent, group } };
  const changes = changesOf(deed);
  const from = {
    agent: before(changes["assigned_agent_id"], agent),
    group: before(changes["assigned_group_id"], group),
  };
  return { from, to: { agent, group } };
};

/** A reopening that only removes the agent. */
const onlyUnassigns = ({ from, to }: Assignment): boolean => to.agent === null && from.group === to.group;

/**
 * The actions of an event, in the order in which they are delivered.
 * @assumed A conversation that begins with an agent or a group, or as resolved, is delivered as an assignment, or as a resolution. A
 * conversation that is reopened is delivered as a reopening first, and as an assignment too when it goes to an agent or another group. A
 * conversation that is assigned and resolved by one update is delivered as an assignment first. Removing the agent is an assignment with
 * an empty to_agent_id.
 */
export const webhookActionsOf = (deed: Deed): readonly WebhookAction[] => {
  if (deed.kind !== "conversation_create" && deed.kind !== "conversation_update") return POSSIBLE[deed.kind] ?? [];
  const was = deed.kind === "conversation_create" ? "new" : before(changesOf(deed)["status"], deed.status ?? null);
  const isReopened = was === "resolved" && deed.status !== "resolved";
  const assignment = webhookAssignmentOf(deed);
  const { from, to } = assignment;
  const isAssigned = (from.agent !== to.agent || from.group !== to.group) && !(isReopened && onlyUnassigns(assignment));
  return [
    ...(isReopened ? (["conversation_reopen"] as const) : []),
    ...(isAssigned ? (["conversation_assignment"] as const) : []),
    ...(deed.status === "resolved" && was !== "resolved" ? (["conversation_resolution"] as const) : []),
  ];
};
