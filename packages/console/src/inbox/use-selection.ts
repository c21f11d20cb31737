import type { ListedConversation } from "@parley/contract";
import { useCallback, useMemo, useState } from "react";
import { useEffect } from "../state/effects.ts";
import type { InboxList } from "./inbox-list.ts";
import { comparePositions } from "./positions.ts";
import { extended, NO_SELECTION, toggled, withAll, withoutItems, type Selection } from "./selection.ts";
import type { InboxAddress } from "./use-inbox-address.ts";

export interface SelectionActions {
  readonly ids: ReadonlyMap<string, ListedConversation>;
  readonly toggle: (item: ListedConversation) => void;
  /** Selects all between the beginning of the range and a conversation. @shape from: where a new range begins */
  readonly extend: (listed: readonly ListedConversation[], from: string, to: string) => void;
  readonly selectAll: (listed: readonly ListedConversation[]) => void;
  readonly remove: (ids: readonly string[]) => void;
  readonly clear: () => void;
}

/** Whether a conversation would be in the loaded part of a list if it was in the view. */
const isInLoadedPart = ({ start, end }: InboxList, { position }: ListedConversation): boolean =>
  (!start || comparePositions(position, start) > 0) && (!end || comparePositions(position, end.position) <= 0);

/** The selected conversations of a list. Conversations that leave the view leave the selection; another view begins with an empty selection. */
export const useSelection = (list: InboxList | undefined, { filter }: InboxAddress): SelectionActions => {
  const [{ selection, view }, setState] = useState({ selection: NO_SELECTION, view: filter });
  if (view !== filter) setState({ selection: NO_SELECTION, view: filter });
  const change = useCallback(
    (next: (selection: Selection) => Selection): void =>
      setState((state) => {
        const changed = next(state.selection);
        return changed === state.selection ? state : { ...state, selection: changed };
      }),
    [],
  );

  const hasSome = selection.items.size > 0;
  useEffect(() => {
    if (!list || !hasSome) return;
    const listed = new Set(list.items.map(({ conversation_id }) => conversation_id));
    change((present) =>
      withoutItems(present, (item) => !listed.has(item.conversation_id) && isInLoadedPart(list, item)),
    );
  }, [list, hasSome, change]);

  return useMemo(
    () => ({
      ids: selection.items,
      toggle: (item) => change((present) => toggled(present, item)),
      extend: (listed, from, to) => change((present) => extended(present, listed, from, to)),
      selectAll: (listed) => change((present) => withAll(present, listed)),
      remove: (ids) =>
        change((present) => withoutItems(present, ({ conversation_id }) => ids.includes(conversation_id))),
      clear: () => change(() => NO_SELECTION),
    }),
    [selection, change],
  );
};
