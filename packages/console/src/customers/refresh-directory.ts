import type { CustomerOrder } from "@parley/contract";
import type { InfiniteData, Query, QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { DIRECTORY_KEY, type DirectoryReply } from "./customer-queries.ts";
import { withTotal } from "./patch-directory.ts";

/** Longer lists are not read again as a whole: only their total is. */
const REREAD_PAGES_MAX = 3;

/** Reads the total of a list that the agent has scrolled far into: new customers are added elsewhere in it. */
const refreshTotal = async (queries: QueryClient, { queryKey }: Query): Promise<void> => {
  const [, text, order] = queryKey as readonly [string, string, CustomerOrder];
  const { total } = await client.customers.listCustomers({ query: { order, limit: 1, ...(text !== "" && { text }) } });
  if (total === undefined) return;
  queries.setQueryData<InfiniteData<DirectoryReply>>(queryKey, (data) => data && withTotal(data, total));
};

/** Reads the shown pages of the directory again. Other pages are read when they are shown next. */
export const refreshDirectory = async (queries: QueryClient): Promise<void> => {
  const lists = queries.getQueryCache().findAll({ queryKey: DIRECTORY_KEY });
  await Promise.allSettled(
    lists.map((list) => {
      const pages = (list.state.data as InfiniteData<DirectoryReply> | undefined)?.pages.length ?? 0;
      return list.isActive() && pages > REREAD_PAGES_MAX
        ? refreshTotal(queries, list)
        : queries.invalidateQueries({ queryKey: list.queryKey, exact: true });
    }),
  );
};
