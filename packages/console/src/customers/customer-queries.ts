import type { CustomerOrder } from "@parley/contract";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { client } from "../session/session.ts";

/** The query of the directory: customers whose name, e-mail address or phone number begins with the text. */
interface DirectorySearch {
  readonly text?: string;
  readonly order?: CustomerOrder;
}

export type DirectoryReply = Awaited<ReturnType<typeof client.customers.listCustomers>>;

/** Begins the keys of the pages of the directory: `["customers", text, order]`. */
export const DIRECTORY_KEY = ["customers"] as const;
/** Begins the keys of data that belongs to one customer: `["customer", id]`, and below it conversations and ratings. */
export const CUSTOMER_KEY = ["customer"] as const;

/** How long the directory stays loaded after the page was left. @units milliseconds */
const DIRECTORY_KEPT_MS = 300_000;

export const directoryQuery = ({ text = "", order = "newest" }: DirectorySearch) =>
  infiniteQueryOptions({
    queryKey: [...DIRECTORY_KEY, text, order] as const,
    queryFn: ({ pageParam, signal }) =>
      client.customers.listCustomers({
        query: { order, ...(text !== "" && { text }), ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    gcTime: DIRECTORY_KEPT_MS,
  });

/** The user object, with all properties. */
export const customerQuery = (id: string) =>
  queryOptions({
    queryKey: [...CUSTOMER_KEY, id] as const,
    queryFn: ({ signal }) => client.users.getUser({ params: { user_id: id }, signal }),
  });

/** Whether the messenger refuses what the customer writes. No event says that another agent has changed it: it is read with each visit. */
export const customerBlockQuery = (id: string) =>
  queryOptions({
    queryKey: [...CUSTOMER_KEY, id, "block"] as const,
    queryFn: ({ signal }) => client.customers.getCustomerBlock({ params: { user_id: id }, signal }),
    staleTime: 0,
  });

/** The customer's conversations within the agent's scope, the newest first. */
export const customerConversationsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...CUSTOMER_KEY, id, "conversations"] as const,
    queryFn: ({ pageParam, signal }) =>
      client.inbox.listInbox({
        query: {
          ...{ user: id, status: "all", order: "newest", limit: 20 },
          ...(pageParam !== undefined && { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });

export const customerRatingsQuery = (id: string) =>
  queryOptions({
    queryKey: [...CUSTOMER_KEY, id, "ratings"] as const,
    queryFn: async ({ signal }) => (await client.customers.listRatings({ params: { user_id: id }, signal })).ratings,
  });
