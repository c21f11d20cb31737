import type { InboxCounts, InboxFilter, SavedView, Workspace } from "@parley/contract";
import { agentName } from "../workspace/workspace.ts";
import { inboxMessages as texts } from "./messages.ts";
import { membersBeside } from "./inbox-view.ts";

/** A view that the console offers. */
export interface ViewEntry {
  readonly id: string;
  readonly label: string;
  readonly filter: InboxFilter;
  /** undefined until the numbers are known. */
  readonly count: number | undefined;
}

export interface ViewSection {
  readonly id: "groups" | "agents" | "topics" | "priorities";
  readonly label: string;
  readonly entries: readonly ViewEntry[];
}

/** The views that every agent has. Those of others' conversations are left out for the scope Me. */
export const primaryViews = ({ agent }: Workspace, counts: InboxCounts | undefined): readonly ViewEntry[] => {
  const mine: readonly ViewEntry[] = [
    { id: "mine", label: texts.mine, filter: { agent: "me" }, count: counts?.mine },
    { id: "mine-unread", label: texts.mineUnread, filter: { agent: "me", unread: true }, count: counts?.mine_unread },
  ];
  const unassigned: readonly ViewEntry[] = [
    { id: "unassigned", label: texts.unassigned, filter: { agent: "none" }, count: counts?.unassigned },
    {
      id: "unassigned-unread",
      label: texts.unassignedUnread,
      filter: { agent: "none", unread: true },
      count: counts && counts.unread - counts.mine_unread,
    },
  ];
  return [
    ...mine,
    ...(agent.scope === "Me" ? [] : unassigned),
    { id: "open", label: texts.allOpen, filter: {}, count: counts?.open },
    { id: "resolved", label: texts.resolved, filter: { status: "resolved" }, count: counts?.resolved },
    { id: "all", label: texts.all, filter: { status: "all" }, count: counts && counts.open + counts.resolved },
  ];
};

const entriesOf = (
  member: "agent" | "group" | "channel" | "priority",
  values: readonly { readonly id: string; readonly label: string; readonly isAlways: boolean }[],
  counts: Readonly<Record<string, number>> | undefined,
): readonly ViewEntry[] =>
  values
    .map(({ id, label, isAlways }) => ({
      isShown: isAlways || (counts?.[id] ?? 0) > 0,
      entry: { id: `${member} ${id}`, label, filter: { [member]: id }, count: counts && (counts[id] ?? 0) },
    }))
    .flatMap(({ isShown, entry }) => (isShown ? [entry] : []));

/** Views by what conversations refer to, with the numbers of open conversations. Former agents and topics are listed while they have some. */
export const viewSections = (workspace: Workspace, counts: InboxCounts | undefined): readonly ViewSection[] => {
  const { account, agent, agents, groups, channels, fields } = workspace;
  const isGlobal = agent.scope === "Global";
  const priorities = fields.find(({ name }) => name === "priority")?.choices ?? [];
  const sections: readonly ViewSection[] = [
    {
      id: "groups",
      label: texts.groups,
      entries: entriesOf(
        "group",
        groups.map(({ id, name }) => ({ id, label: name, isAlways: isGlobal || agent.groups.includes(id) })),
        counts?.by_group,
      ),
    },
    {
      id: "agents",
      label: texts.agents,
      entries: entriesOf(
        "agent",
        agents
          .filter(({ id }) => id !== agent.agent_id)
          .map((each) => ({ id: each.id, label: agentName(each), isAlways: isGlobal && each.is_active })),
        counts?.by_agent,
      ),
    },
    {
      id: "topics",
      label: texts.topics,
      entries: entriesOf(
        "channel",
        channels.map(({ id, name, enabled }) => ({ id, label: name, isAlways: enabled })),
        counts?.by_channel,
      ),
    },
    {
      id: "priorities",
      label: texts.priorities,
      entries: account.has_properties
        ? entriesOf(
            "priority",
            [
              ...priorities.toReversed().map(({ value }) => ({ id: value, label: value, isAlways: true })),
              { id: "none", label: texts.noPriority, isAlways: false },
            ],
            counts?.by_priority,
          )
        : [],
    },
  ];
  return sections.filter(({ entries }) => entries.length > 0);
};

/** The view that a filter shows, and what the filter adds to it. */
export interface ShownView {
  readonly label: string;
  readonly filter: InboxFilter;
}

/** -> the offered view that says most about a filter */
export const shownView = (filter: InboxFilter, workspace: Workspace, saved: SavedView | undefined): ShownView => {
  if (saved && membersBeside(filter, saved.filter) !== undefined) return { label: saved.name, filter: saved.filter };
  const candidates: readonly ShownView[] = [
    ...primaryViews(workspace, undefined),
    ...viewSections(workspace, undefined).flatMap(({ entries }) => entries),
  ];
  let [best, least]: [ShownView, number] = [{ label: texts.conversations, filter: {} }, Number.POSITIVE_INFINITY];
  for (const view of candidates) {
    const rest = membersBeside(filter, view.filter);
    if (rest !== undefined && rest < least) [best, least] = [view, rest];
  }
  return best;
};
