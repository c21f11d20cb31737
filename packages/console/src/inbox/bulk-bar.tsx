import type { ConversationChange, InboxItem } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { formatNumber } from "../i18n/format.ts";
import { useStore } from "../state/store.ts";
import { IconButton } from "../ui/button.tsx";
import { Menu, type MenuAction, type MenuGroup } from "../ui/menu.tsx";
import { showError } from "../ui/toast-store.ts";
import { agentName, useWorkspace } from "../workspace/workspace.ts";
import { changeAll, markAll } from "./bulk-actions.ts";
import styles from "./bulk-bar.module.css";
import type { InboxList } from "./inbox-list.ts";
import { inboxMessages as texts } from "./messages.ts";
import { bulkProgress } from "./run-bulk.ts";
import { useSelectionCommands } from "./use-selection-commands.ts";
import type { SelectionActions } from "./use-selection.ts";

interface BulkBarProps {
  readonly list: InboxList;
  readonly selection: SelectionActions;
  readonly isConversationOpen: boolean;
}

type Apply = (change: ConversationChange, word: string) => void;

const useAssignments = (apply: Apply): readonly MenuGroup[] => {
  const { agent, agents, groups } = useWorkspace();
  return useMemo(() => {
    const toAgent = (id: string, label: string, name: string): MenuAction => ({
      id: `agent ${id}`,
      label,
      onAction: () => apply({ status: "assigned", assigned_agent_id: id }, texts.wordAssignedTo(name)),
    });
    const own = agents.find(({ id }) => id === agent.agent_id);
    const colleagues = agents.filter(({ id, is_active }) => is_active && id !== agent.agent_id);
    return [
      {
        actions: [
          toAgent(agent.agent_id, texts.assignToMe, own ? agentName(own) : texts.me),
          {
            id: "unassign",
            label: texts.unassign,
            onAction: () => apply({ assigned_agent_id: "" }, texts.wordUnassigned),
          },
        ],
      },
      {
        title: texts.groups,
        actions: groups.map(({ id, name }) => ({
          id: `group ${id}`,
          label: name,
          onAction: () => apply({ status: "assigned", assigned_group_id: id }, texts.wordAssignedTo(name)),
        })),
      },
      {
        title: texts.agents,
        actions: colleagues.map((each) => toAgent(each.id, agentName(each), agentName(each))),
      },
    ].filter(({ actions }) => actions.length > 0);
  }, [agent, agents, groups, apply]);
};

/** Changes of a property by its choices; others are changed in the conversation. */
const usePropertyChanges = (apply: Apply): readonly MenuGroup[] => {
  const { account, fields } = useWorkspace();
  if (!account.has_properties) return [];
  return fields
    .filter(({ editable, choices }) => editable && choices.length > 0)
    .map(({ name, label, type, choices }) => ({
      title: label,
      actions: choices.map(({ id, value }) => ({
        id: `${name} ${id}`,
        label: value,
        onAction: () =>
          apply(
            { properties: { [name]: type === "MULTI_SELECT_DROPDOWN" ? [value] : value } },
            texts.wordProperty(label, value),
          ),
      })),
    }));
};

/** Actions on the selected conversations. */
export const BulkBar = ({ list, selection, isConversationOpen }: BulkBarProps) => {
  const queries = useQueryClient();
  const progress = useStore(bulkProgress);
  const [openMenu, setOpenMenu] = useState<"assign" | "more">();
  const count = selection.ids.size;

  /** The selected conversations as they are now. */
  const selected = (): readonly InboxItem[] => {
    const present = new Map(list.items.map((item) => [item.conversation_id, item]));
    return [...selection.ids].map(([id, item]) => present.get(id) ?? item);
  };
  const run = (work: Promise<readonly string[]>): void => void work.then(selection.remove, showError);
  const apply: Apply = (change, word) => run(changeAll(queries, selected(), change, word));
  const assignments = useAssignments(apply);
  const resolve = (): void => apply({ status: "resolved" }, texts.wordResolved);
  const reopen = (): void => apply({ status: "reopened" }, texts.wordReopened);
  const markUnread = (): void => run(markAll(queries, selected(), false));
  useSelectionCommands({
    isConversationOpen,
    onResolve: resolve,
    onReopen: reopen,
    onAssign: () => setOpenMenu("assign"),
    onAssignToMe: () => assignments[0]?.actions[0]?.onAction(),
    onChangeProperties: () => setOpenMenu("more"),
    onMarkUnread: markUnread,
  });
  const menuProps = (menu: "assign" | "more") => ({
    isOpen: openMenu === menu,
    onOpenChange: (isOpen: boolean) => setOpenMenu(isOpen ? menu : undefined),
  });
  const properties = usePropertyChanges(apply);
  const more: readonly MenuGroup[] = [
    {
      actions: [
        { id: "reopen", label: texts.reopen, icon: "undo", detail: "O", onAction: reopen },
        { id: "read", label: texts.markRead, icon: "check", onAction: () => run(markAll(queries, selected(), true)) },
        { id: "unread", label: texts.markUnread, icon: "bell", detail: "U", onAction: markUnread },
        { id: "all", label: texts.selectAll, icon: "plus", onAction: () => selection.selectAll(list.items) },
      ],
    },
    ...properties,
  ];
  if (progress)
    return (
      <div className={styles.bar} role="status">
        <span className={styles.count}>{texts.changing(formatNumber(progress.done), formatNumber(progress.all))}</span>
        <progress className={styles.progress} value={progress.done} max={progress.all} aria-label={texts.progress} />
      </div>
    );
  return (
    <div className={styles.bar} role="toolbar" aria-label={texts.bulkActions}>
      <IconButton icon="close" label={texts.clearSelection} onPress={selection.clear} />
      <span className={styles.count} role="status">
        {texts.selectedCount(count)}
      </span>
      <Menu label={texts.assign} groups={assignments} {...menuProps("assign")}>
        <IconButton icon="person" label={texts.assign} keys="A" />
      </Menu>
      <IconButton icon="check" label={texts.resolve} keys="E" onPress={resolve} />
      <Menu label={texts.moreActions} groups={more} {...menuProps("more")}>
        <IconButton icon="more" label={texts.moreActions} />
      </Menu>
    </div>
  );
};
