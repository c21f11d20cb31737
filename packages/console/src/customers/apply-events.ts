import type { QueryClient } from "@tanstack/react-query";
import type { LiveItem } from "../live/live-messages.ts";
import { createThrottle } from "../state/throttle.ts";
import { patchUsers } from "./customer-cache.ts";
import { CUSTOMER_KEY, DIRECTORY_KEY } from "./customer-queries.ts";
import { changesOf } from "./event-changes.ts";
import { refreshDirectory } from "./refresh-directory.ts";

/** Shortest time between two requests for what events don't contain. @units milliseconds */
const REVALIDATE_MS = 5_000;

/** Conversations and ratings of a customer who is shown are read again; others, when they are shown next. */
const revalidatorOf = (queries: QueryClient) => ({
  customers: createThrottle<string>(REVALIDATE_MS, (ids) => {
    for (const id of ids)
      for (const list of ["conversations", "ratings"])
        void queries.invalidateQueries({ queryKey: [...CUSTOMER_KEY, id, list] });
  }),
  directory: createThrottle<true>(REVALIDATE_MS, () => void refreshDirectory(queries)),
});

const revalidators = new WeakMap<QueryClient, ReturnType<typeof revalidatorOf>>();

/** Applies changes of customers to cached data. */
export const applyToCustomers = (queries: QueryClient, items: readonly LiveItem[]): void => {
  const { users, withConversations, hasNewCustomers } = changesOf(items);
  if (users.size > 0) patchUsers(queries, users);
  const revalidate = revalidators.get(queries) ?? revalidatorOf(queries);
  revalidators.set(queries, revalidate);
  // Customers that nothing was read of need no memory.
  revalidate.customers(
    [...withConversations].filter((id) => queries.getQueryState([...CUSTOMER_KEY, id, "conversations"])),
  );
  if (hasNewCustomers && queries.getQueryCache().findAll({ queryKey: DIRECTORY_KEY }).length > 0)
    revalidate.directory([true]);
};
