import { useCommands, type Command } from "../shortcuts/shortcuts.ts";
import { showToast } from "../ui/toast-store.ts";
import { useWorkspace } from "../workspace/workspace.ts";
import { bulkProgress } from "./run-bulk.ts";
import { selectionMessages as texts } from "./selection-messages.ts";

interface SelectionCommands {
  readonly isConversationOpen: boolean;
  readonly onResolve: () => void;
  readonly onReopen: () => void;
  /** Shows whom the conversations can be assigned to. */
  readonly onAssign: () => void;
  readonly onAssignToMe: () => void;
  /** Shows the values of properties. */
  readonly onChangeProperties: () => void;
  readonly onMarkUnread: () => void;
}

/** Keys of a conversation while several are selected: they act on the selection, or say why they can't. */
export const useSelectionCommands = (on: SelectionCommands): void => {
  const { account } = useWorkspace();
  const command = (id: string, label: string, keys: string, act: () => void): Command => ({
    id: `selection-${id}`,
    label,
    group: "selection",
    keys,
    run: () => (bulkProgress.get() ? void showToast(texts.selectionBusy) : act()),
  });
  const needsOne = (id: string, label: string, keys: string, reason: string): Command =>
    command(id, label, keys, () => void showToast(reason));
  useCommands([
    command("resolve", texts.resolveSelected, "e", on.onResolve),
    command("reopen", texts.reopenSelected, "o", on.onReopen),
    command("assign", texts.assignSelected, "a", on.onAssign),
    command("assign-me", texts.assignSelectedToMe, "m", on.onAssignToMe),
    ...(account.has_properties ? [command("properties", texts.changeSelected, "p", on.onChangeProperties)] : []),
    command("mark-unread", texts.markSelectedUnread, "u", on.onMarkUnread),
    ...(on.isConversationOpen
      ? []
      : [
          needsOne("reply", texts.replyNeedsOne, "r", texts.replyNeedsOneText),
          needsOne("note", texts.noteNeedsOne, "n", texts.replyNeedsOneText),
          needsOne("details", texts.detailsNeedOne, "d", texts.detailsNeedOneText),
        ]),
  ]);
};
