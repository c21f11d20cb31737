import { useCommands } from "../shortcuts/shortcuts.ts";
import { searchOf } from "./inbox-view.ts";
import { inboxMessages as texts } from "./messages.ts";
import type { InboxAddress } from "./use-inbox-address.ts";

/** Keys that show the views that agents use most. */
export const useViewCommands = ({ order, show }: InboxAddress): void => {
  useCommands([
    {
      id: "view-mine",
      label: texts.goMine,
      group: "list",
      keys: "g m",
      run: () => show(searchOf({ agent: "me" }, order)),
    },
    {
      id: "view-unassigned",
      label: texts.goUnassigned,
      group: "list",
      keys: "g u",
      run: () => show(searchOf({ agent: "none" }, order)),
    },
    { id: "view-open", label: texts.goOpen, group: "list", keys: "g o", run: () => show(searchOf({}, order)) },
    {
      id: "view-resolved",
      label: texts.goResolved,
      group: "list",
      keys: "g r",
      run: () => show(searchOf({ status: "resolved" }, order)),
    },
  ]);
};
