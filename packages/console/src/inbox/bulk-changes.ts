import type { ConversationChange, InboxItem, Properties } from "@parley/contract";

/** One change for several conversations. */
export interface ChangeGroup {
  readonly change: ConversationChange;
  readonly ids: readonly string[];
}

/** Results of a bulk change for its conversations. */
export interface BulkOutcome {
  readonly done: readonly string[];
  /** Reasons, with the number of conversations that were refused for each. */
  readonly refusals: ReadonlyMap<string, number>;
}

export const NO_OUTCOME: BulkOutcome = { done: [], refusals: new Map() };

export const mergeOutcomes = (one: BulkOutcome, other: BulkOutcome): BulkOutcome => {
  const refusals = new Map(one.refusals);
  for (const [reason, count] of other.refusals) refusals.set(reason, (refusals.get(reason) ?? 0) + count);
  return { done: [...one.done, ...other.done], refusals };
};

export const refusedCount = ({ refusals }: BulkOutcome): number =>
  [...refusals.values()].reduce((sum, count) => sum + count, 0);

/** The change that gives a conversation its former status and assignment. An empty text unassigns. */
const restoredState = ({
  status,
  assigned_agent_id: agent,
  assigned_group_id: group = "",
}: InboxItem): ConversationChange => {
  const byGroup = { assigned_group_id: group };
  if (status === "resolved") return { status, ...(agent !== undefined && { assigned_agent_id: agent }), ...byGroup };
  // A conversation without an agent is open by its status, which unassigns the present agent.
  return agent === undefined
    ? { status: "new", ...byGroup }
    : { status: "assigned", assigned_agent_id: agent, ...byGroup };
};

/** Former values of the changed properties. An empty text removes a value. */
const restoredProperties = (item: InboxItem, changed: Properties): Properties =>
  Object.fromEntries(Object.keys(changed).map((name) => [name, item.properties[name] ?? ""]));

/** Changes that undo a change, with the conversations that each is for. @shape items: as they were before */
export const undoingChanges = (
  items: readonly InboxItem[],
  { properties }: ConversationChange,
): readonly ChangeGroup[] => {
  const groups = new Map<string, ChangeGroup>();
  for (const item of items) {
    const change: ConversationChange = properties
      ? { properties: restoredProperties(item, properties) }
      : restoredState(item);
    const key = JSON.stringify(change);
    groups.set(key, { change, ids: [...(groups.get(key)?.ids ?? []), item.conversation_id] });
  }
  return [...groups.values()];
};

/** Parts of at most this size. */
export const slicesOf = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size));
