import type { InboxItem, User } from "@parley/contract";
import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { INBOX_KEY } from "../conversation/conversation-query.ts";
import { forgetRecentPlace } from "../shortcuts/recent-places.ts";
import { CUSTOMER_KEY, customerQuery, DIRECTORY_KEY, type DirectoryReply } from "./customer-queries.ts";
import { withChangedUsers, withoutCustomer } from "./patch-directory.ts";
import { deletedCustomers } from "./use-customer.ts";

const withUser = (item: InboxItem, { first_name, last_name, email, phone, avatar }: User): InboxItem => {
  const { id } = item.customer;
  const fields = { first_name, last_name, email, phone, avatar_url: avatar?.url };
  return {
    ...item,
    customer: { id, ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) },
  };
};

/** Shows changed users wherever they were read: profiles, the directory, and open conversations. */
export const patchUsers = (queries: QueryClient, users: ReadonlyMap<string, User>): void => {
  for (const [id, user] of users)
    queries.setQueryData(customerQuery(id).queryKey, (known) => known && { ...known, ...user });
  queries.setQueriesData<InfiniteData<DirectoryReply>>({ queryKey: DIRECTORY_KEY }, (data) =>
    data ? withChangedUsers(data, users) : data,
  );
  queries.setQueriesData<InboxItem>({ queryKey: ["conversation"] }, (item) => {
    const user = item && users.get(item.customer.id);
    return item && user ? withUser(item, user) : item;
  });
};

/** -> ids of the open conversations of a customer */
export const openConversationsOf = (queries: QueryClient, customerId: string): readonly string[] =>
  queries
    .getQueriesData<InboxItem>({ queryKey: ["conversation"] })
    .flatMap(([, item]) => (item?.customer?.id === customerId ? [item.conversation_id] : []));

/** Removes a deleted customer from cached data. Pages that show it say that it doesn't exist any more. */
export const dropCustomer = (queries: QueryClient, id: string): void => {
  if (deletedCustomers.get().has(id)) return;
  deletedCustomers.update((known) => new Set([...known, id]));
  forgetRecentPlace(id);
  queries.setQueriesData<InfiniteData<DirectoryReply>>({ queryKey: DIRECTORY_KEY }, (data) =>
    data ? withoutCustomer(data, id) : data,
  );
  queries.removeQueries({ queryKey: [...CUSTOMER_KEY, id] });
  // Names, previews and excerpts are gone too.
  for (const queryKey of [INBOX_KEY, ["conversation"], ["search"]]) void queries.invalidateQueries({ queryKey });
};
