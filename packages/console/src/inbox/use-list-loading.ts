import type { InboxFilter, InboxOrder } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { useEffect } from "../state/effects.ts";
import { type InboxList, ITEMS_MAX, trimmed } from "./inbox-list.ts";
import { inboxListQuery, loadAround, loadNext, loadPrevious } from "./list-query.ts";
import { requestReread } from "./rereading.ts";

/** Rows before the end of the loaded part at which the next page is read. */
const AHEAD = 30;
/** Rows outside of the loaded part that are read page by page. */
const NEARBY = 300;

interface ListLoadingOptions {
  readonly list: InboxList;
  readonly filter: InboxFilter;
  readonly order: InboxOrder;
  /** Shown rows. */
  readonly first: number;
  readonly last: number;
}

/** Reads conversations that are about to be shown, and drops conversations that are far away. -> the error of the last page, and how to try again */
export const useListLoading = ({ list, filter, order, first, last }: ListLoadingOptions) => {
  const queries = useQueryClient();
  const isLoading = useRef(false);
  const [error, setError] = useState<unknown>();

  const load = useCallback((read: () => Promise<unknown>): void => {
    if (isLoading.current) return;
    isLoading.current = true;
    read()
      .catch((reason: unknown) => setError(reason ?? new Error()))
      .finally(() => {
        isLoading.current = false;
      });
  }, []);

  const { items, rowsAbove, start, end } = list;
  useEffect(() => {
    if (error !== undefined) return;
    if (end && last >= rowsAbove + items.length - AHEAD) load(() => loadNext(queries, filter, order));
    else if (start && first < rowsAbove - NEARBY) load(() => loadAround(queries, filter, order, first));
    else if (start && first < rowsAbove + AHEAD) load(() => loadPrevious(queries, filter, order));
    else if (!isLoading.current) {
      const { queryKey } = inboxListQuery(filter, order);
      const known = queries.getQueryData(queryKey);
      const next = known && trimmed(known, first - rowsAbove, last - rowsAbove);
      // Data that is set, even if it is the same, counts as read: a list that was invalidated before it was shown would not be read again.
      if (next !== known) queries.setQueryData(queryKey, next);
      // Reading makes places known at which it can be cut.
      else if (next && next.items.length > ITEMS_MAX) requestReread(queries);
    }
  }, [queries, filter, order, first, last, items, rowsAbove, start, end, error, load]);

  return { error, retry: useCallback(() => setError(undefined), []) };
};
