import { type Changes, WEBHOOK_ACTIONS, type WebhookAction } from "@parley/contract";

/** What of an event decides which actions it is. */
export interface Deed {
  readonly kind: string;
  /** Of the conversation after it; absent where it is about none. */
  readonly status?: string | null | undefined;
  readonly assigned_agent_id?: string | null | undefined;
  readonly assigned_group_id?: string | null | undefined;
  readonly changes: string | null;
}

/** Who has a conversation, before and after. */
export interface Assignment {
  readonly from: { readonly agent: string | null; readonly group: string | null };
  readonly to: { readonly agent: string | null; readonly group: string | null };
}

/** What each kind of the log can be. */
const POSSIBLE: Readonly<Record<string, readonly WebhookAction[]>> = {
  message_create: ["message_create"],
  conversation_create: ["conversation_assignment", "conversation_resolution"],
  conversation_update: ["conversation_reopen", "conversation_assignment", "conversation_resolution"],
  outbound_message_update: ["outbound_message_update"],
};

const isAction = (text: string): text is WebhookAction => WEBHOOK_ACTIONS.some((action) => action === text);

/** Those of an endpoint's actions that are known; null: all. */
export const chosen = (actions: readonly string[] | null): readonly WebhookAction[] =>
  actions === null ? WEBHOOK_ACTIONS : actions.filter(isAction);

/** Whether an event of the kind can be one of the actions. */
export const canBe = (kind: string, actions: readonly string[] | null): boolean =>
  Object.hasOwn(POSSIBLE, kind) &&
  (POSSIBLE[kind]?.some((action) => actions === null || actions.includes(action)) ?? false);

const changesOf = ({ changes }: Deed): Changes["model_changes"] =>
  changes === null ? {} : (JSON.parse(changes) as Changes).model_changes;

/** What a change says that there was before; else what is now. */
const before = (change: readonly [unknown, unknown] | undefined, now: string | null): string | null =>
  change === undefined ? now : (change[0] as string | null);

export const assignmentOf = (deed: Deed): Assignment => {
  const { assigned_agent_id: agent = null, assigned_group_id: group = null } = deed;
  if (deed.kind === "conversation_create") return { from: { agent: null, group: null }, to: { agent, group } };
  const changes = changesOf(deed);
  const from = {
    agent: before(changes["assigned_agent_id"], agent),
    group: before(changes["assigned_group_id"], group),
  };
  return { from, to: { agent, group } };
};

/** A reopening that takes the conversation from its agent and does nothing else to it. */
const onlyUnassigns = ({ from, to }: Assignment): boolean => to.agent === null && from.group === to.group;

/**
 * The actions that an event is, in the order in which they are told.
 * @assumed A conversation that begins with an agent or a group, or as resolved, is told as assigned, or resolved; one that comes back from
 * resolved as reopened first, and as assigned too where it comes to an agent or another group; one that is assigned and resolved in one go
 * as assigned first. Who loses a conversation to nobody is an assignment with an empty to_agent_id.
 */
export const actionsOf = (deed: Deed): readonly WebhookAction[] => {
  if (deed.kind !== "conversation_create" && deed.kind !== "conversation_update") return POSSIBLE[deed.kind] ?? [];
  const was = deed.kind === "conversation_create" ? "new" : before(changesOf(deed)["status"], deed.status ?? null);
  const isReopened = was === "resolved" && deed.status !== "resolved";
  const assignment = assignmentOf(deed);
  const { from, to } = assignment;
  const isAssigned = (from.agent !== to.agent || from.group !== to.group) && !(isReopened && onlyUnassigns(assignment));
  return [
    ...(isReopened ? (["conversation_reopen"] as const) : []),
    ...(isAssigned ? (["conversation_assignment"] as const) : []),
    ...(deed.status === "resolved" && was !== "resolved" ? (["conversation_resolution"] as const) : []),
  ];
};
