import type { KeyboardEvent } from "react";
import { useCommands } from "../shortcuts/shortcuts.ts";
import type { InboxList } from "./inbox-list.ts";
import { inboxMessages as texts } from "./messages.ts";
import type { GridFocus } from "./use-grid-focus.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import type { SelectionActions } from "./use-selection.ts";

interface GridKeysOptions {
  readonly address: InboxAddress;
  readonly list: InboxList;
  readonly selection: SelectionActions;
  readonly focus: GridFocus;
  /** Shows an item of the list. */
  readonly reveal: (index: number) => void;
  /** Rows that fit into the list. */
  readonly pageRows: number;
}

/** Keys of the list. -> the handler of those that work while a row has the focus; letters work everywhere outside of fields */
export const useGridKeys = ({ address, list, selection, focus, reveal, pageRows }: GridKeysOptions) => {
  const { items } = list;
  const { activeIndex, activeId } = focus;

  const move = (index: number, isExtending = false): void => {
    const next = Math.max(0, Math.min(items.length - 1, index));
    const id = items[next]?.conversation_id;
    if (id === undefined) return;
    if (isExtending) selection.extend(items, activeId ?? id, id);
    reveal(next);
    focus.moveTo(id);
  };
  const toggle = (): void => {
    const item = items[activeIndex];
    if (item) selection.toggle(item);
  };
  const open = (): void => {
    if (activeId !== undefined) address.open(activeId);
  };

  useCommands([
    {
      id: "list-next",
      label: texts.nextConversation,
      group: "list",
      keys: "j",
      run: () => move(focus.isUnused ? 0 : activeIndex + 1),
    },
    {
      id: "list-previous",
      label: texts.previousConversation,
      group: "list",
      keys: "k",
      run: () => move(activeIndex - 1),
    },
    { id: "list-open", label: texts.openConversation, group: "list", run: open },
    { id: "list-select", label: texts.selectOne, group: "list", keys: "x", run: toggle },
    { id: "list-select-all", label: texts.selectAll, group: "list", run: () => selection.selectAll(items) },
    // With an open conversation, Escape closes that.
    ...(selection.ids.size > 0 && address.conversationId === undefined
      ? [
          {
            id: "list-clear",
            label: texts.clearSelection,
            group: "list" as const,
            keys: "Escape",
            run: selection.clear,
          },
        ]
      : []),
  ]);

  return (event: KeyboardEvent): void => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    const hasControl = ctrlKey || metaKey;
    const actions: Readonly<Record<string, () => void>> = hasControl
      ? { a: () => selection.selectAll(items), Home: () => move(0), End: () => move(items.length - 1) }
      : {
          ArrowDown: () => move(activeIndex + 1, shiftKey),
          ArrowUp: () => move(activeIndex - 1, shiftKey),
          PageDown: () => move(activeIndex + pageRows, shiftKey),
          PageUp: () => move(activeIndex - pageRows, shiftKey),
          Home: () => move(0, shiftKey),
          End: () => move(items.length - 1, shiftKey),
          Enter: open,
          ...(selection.ids.size > 0 && { Escape: selection.clear }),
          " ": toggle,
        };
    const action = altKey ? undefined : actions[key];
    if (!action) return;
    event.preventDefault();
    // Letters with Ctrl are shortcuts elsewhere.
    event.stopPropagation();
    action();
  };
};
