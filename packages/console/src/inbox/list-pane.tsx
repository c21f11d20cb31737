import { useQuery } from "@tanstack/react-query";
import { useRef, type ReactNode, type RefObject } from "react";
import { useEffect } from "../state/effects.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { claimFocus } from "../ui/focus-keeper.ts";
import { uiMessages } from "../ui/messages.ts";
import { Spinner } from "../ui/spinner.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { ConversationGrid } from "./conversation-grid.tsx";
import { EmptyList } from "./empty-list.tsx";
import { ListHeader } from "./list-header.tsx";
import styles from "./inbox-page.module.css";
import { inboxListQuery } from "./list-query.ts";
import { inboxMessages as texts } from "./messages.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import { useSelection } from "./use-selection.ts";

interface ListPaneProps {
  readonly address: InboxAddress;
  readonly viewsButton: ReactNode;
}

/** Time in which menus give the focus back to their button. @units milliseconds */
const MENU_CLOSE_MS = 100;

/** The actions on selected conversations disappear with the selection: the list receives the focus that they had. */
const useFocusAfterSelection = (hasSelection: boolean): RefObject<HTMLDivElement | null> => {
  const element = useRef<HTMLDivElement>(null);
  const had = useRef(false);
  useEffect(() => {
    const isOver = had.current && !hasSelection;
    had.current = hasSelection;
    if (!isOver) return undefined;
    const timer = setTimeout(
      () => claimFocus(element.current?.querySelector<HTMLElement>("[role=row][tabindex='0']") ?? null),
      MENU_CLOSE_MS,
    );
    return () => clearTimeout(timer);
  }, [hasSelection]);
  return element;
};

/** The list of a view, with what can be done with it above. */
export const ListPane = ({ address, viewsButton }: ListPaneProps) => {
  const { filter, order } = address;
  const { data: list, error, refetch } = useQuery(inboxListQuery(filter, order));
  const selection = useSelection(list, address);

  const element = useFocusAfterSelection(selection.ids.size > 0);

  const content = (): ReactNode => {
    if (!list)
      return error ? (
        <EmptyState icon="warning" title={texts.notLoaded}>
          <p>{error.message}</p>
          <Button onPress={() => void refetch()}>{uiMessages.retry}</Button>
        </EmptyState>
      ) : (
        <Spinner />
      );
    if (list.items.length === 0 && !list.start && !list.end) return <EmptyList address={address} />;
    return (
      <ConversationGrid
        // Another view begins at its top, with its first row.
        key={JSON.stringify([filter, order])}
        address={address}
        list={list}
        label={texts.conversations}
        selection={selection}
      />
    );
  };
  return (
    <div ref={element} className={styles.pane}>
      <ListHeader
        address={address}
        list={list}
        viewsButton={viewsButton}
        bulkBar={
          list && selection.ids.size > 0 ? (
            <BulkBar list={list} selection={selection} isConversationOpen={address.conversationId !== undefined} />
          ) : undefined
        }
      />
      {content()}
    </div>
  );
};
