import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { uiMessages } from "../ui/messages.ts";
import { Spinner } from "../ui/spinner.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { ConversationGrid } from "./conversation-grid.tsx";
import { EmptyList } from "./empty-list.tsx";
import { ListHeader } from "./list-header.tsx";
import { inboxListQuery } from "./list-query.ts";
import { inboxMessages as texts } from "./messages.ts";
import type { InboxAddress } from "./use-inbox-address.ts";
import { useSelection } from "./use-selection.ts";

interface ListPaneProps {
  readonly address: InboxAddress;
  readonly viewsButton: ReactNode;
}

/** The list of a view, with what can be done with it above. */
export const ListPane = ({ address, viewsButton }: ListPaneProps) => {
  const { filter, order } = address;
  const { data: list, error, refetch } = useQuery(inboxListQuery(filter, order));
  const selection = useSelection(list, address);

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
    <>
      <ListHeader
        address={address}
        list={list}
        viewsButton={viewsButton}
        bulkBar={list && selection.ids.size > 0 ? <BulkBar list={list} selection={selection} /> : undefined}
      />
      {content()}
    </>
  );
};
