import type { InboxItem } from "@parley/contract";

/** What stands beside a conversation: the customer, properties, earlier conversations, ratings, apps. */
export const DetailsPanel = ({ item }: { readonly item: InboxItem }) => <p>{item.customer.id}</p>;
