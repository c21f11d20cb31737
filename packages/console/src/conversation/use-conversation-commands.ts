import type { InboxItem } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { activeComposer, elementStates } from "../composer/composer-state.ts";
import { useCommands } from "../shortcuts/shortcuts.ts";
import { showToast } from "../ui/toast-store.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { assignToAgent, reopenConversation } from "./actions.ts";
import { conversationMessages as texts } from "./messages.ts";
import { requestResolve } from "./resolve.ts";

export type PickerName = "agent" | "group" | "priority";

interface ConversationCommands {
  readonly onPick: (picker: PickerName) => void;
  readonly onMarkUnread: () => void;
  readonly onBack: () => void;
  readonly onToggleDetails: () => void;
}

const write = (isPrivate: boolean): void => {
  const composer = activeComposer.get();
  composer?.chooseMode(isPrivate);
  composer?.focus();
};

/** Whether apps permit an action; says so if they don't. */
const isPermitted = (element: "resolve" | "assign" | "send"): boolean => {
  const { isEnabled, isVisible } = elementStates.get()[element];
  if (!isEnabled || !isVisible) showToast(texts.turnedOff);
  return isEnabled && isVisible;
};

/** Keys and commands of the open conversation. */
export const useConversationCommands = (
  item: InboxItem,
  { onPick, onMarkUnread, onBack, onToggleDetails }: ConversationCommands,
): void => {
  const queries = useQueryClient();
  const workspace = useWorkspace();
  const group = "conversation";
  const isResolved = item.status === "resolved";
  const hasPriority = workspace.fields.some(({ name, editable }) => name === "priority" && editable);
  const resolve = (): void => void (isPermitted("resolve") && requestResolve(queries, item, workspace));
  const assignToMe = (): void =>
    void (isPermitted("assign") && assignToAgent(queries, item, workspace.agent.agent_id, workspace));
  useCommands([
    ...(isResolved
      ? [
          {
            id: "reopen",
            label: texts.reopen,
            group,
            keys: "o",
            run: () => void reopenConversation(queries, item),
          } as const,
        ]
      : [{ id: "resolve", label: texts.resolve, group, keys: "e", run: resolve } as const]),
    { id: "assign", label: texts.commandAssign, group, keys: "a", run: () => isPermitted("assign") && onPick("agent") },
    { id: "assign-me", label: texts.assignToMe, group, keys: "m", run: assignToMe },
    { id: "assign-group", label: texts.commandGroup, group, run: () => isPermitted("assign") && onPick("group") },
    ...(workspace.account.has_properties && hasPriority
      ? [{ id: "priority", label: texts.commandPriority, group, keys: "p", run: () => onPick("priority") } as const]
      : []),
    { id: "mark-unread", label: texts.markUnread, group, keys: "u", run: onMarkUnread },
    { id: "reply", label: texts.commandReply, group, keys: "r", run: () => write(false) },
    { id: "note", label: texts.commandNote, group, keys: "n", run: () => write(true) },
    { id: "details", label: texts.commandDetails, group, keys: "d", run: onToggleDetails },
    { id: "back", label: texts.commandBack, group, keys: "Escape", run: onBack },
    {
      id: "send",
      label: texts.commandSend,
      group: "composer",
      keys: "Ctrl+Enter",
      worksInFields: true,
      run: () => isPermitted("send") && activeComposer.get()?.submit(),
    },
  ]);
};
