import type { InboxFilter, InboxOrder } from "@parley/contract";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { checkInboxSearch, type InboxSearch } from "./inbox-search.ts";
import { filterOf, orderOf } from "./inbox-view.ts";

export interface InboxAddress {
  readonly search: InboxSearch;
  readonly filter: InboxFilter;
  readonly order: InboxOrder;
  /** The conversation that is open. */
  readonly conversationId: string | undefined;
  /** Shows another view; an open conversation remains open. */
  readonly show: (search: InboxSearch) => void;
  readonly open: (conversationId: string) => void;
  readonly close: () => void;
}

/** The view and the conversation of the address, and functions that change them. */
export const useInboxAddress = (): InboxAddress => {
  // The router itself keeps parameters that the route's check leaves out, and the message that a conversation is opened at.
  const search = useSearch({ from: "/inbox-layout", select: checkInboxSearch, structuralSharing: true });
  const { conversationId } = useParams({ strict: false });
  const navigate = useNavigate();
  // The same object for the same view, also when another conversation is opened.
  const filter = useMemo(() => filterOf(search), [search]);
  return useMemo(() => {
    const open = (id: string): void =>
      void navigate({ to: "/conversations/$conversationId", params: { conversationId: id }, search });
    return {
      search,
      filter,
      order: orderOf(search),
      conversationId,
      show: (next) =>
        conversationId === undefined
          ? void navigate({ to: "/inbox", search: next })
          : void navigate({ to: "/conversations/$conversationId", params: { conversationId }, search: next }),
      open,
      close: () => void navigate({ to: "/inbox", search }),
    };
  }, [search, filter, conversationId, navigate]);
};
