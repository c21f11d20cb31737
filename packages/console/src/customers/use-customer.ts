import { isProblemError } from "@parley/client/session";
import { useQuery } from "@tanstack/react-query";
import { createStore, useStore } from "../state/store.ts";
import { customerBlockQuery, customerQuery } from "./customer-queries.ts";

/** Ids of customers who were deleted since the page was loaded: nothing is requested of them any more. */
export const deletedCustomers = createStore<ReadonlySet<string>>(new Set());

/** The user object, and whether the customer was deleted or is outside of the agent's scope. */
export const useCustomer = (id: string) => {
  const isDeleted = useStore(deletedCustomers).has(id);
  const query = useQuery({ ...customerQuery(id), enabled: !isDeleted });
  return { ...query, isGone: isDeleted || isProblemError(query.error, "USER_NOT_FOUND") };
};

/** Whether the customer is blocked in the messenger; undefined before it was read, and of a deleted customer. */
export const useCustomerBlock = (id: string) => {
  const { data: user, isGone } = useCustomer(id);
  const isShown = user !== undefined && !isGone;
  const { data } = useQuery({ ...customerBlockQuery(id), enabled: isShown });
  return isShown ? data : undefined;
};
