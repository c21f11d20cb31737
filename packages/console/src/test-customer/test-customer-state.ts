import { createStore } from "../state/store.ts";

/** Whether the panel is open in which an agent writes as a customer. */
export const isTestCustomerOpen = createStore(false);
export const openTestCustomer = (): void => isTestCustomerOpen.set(true);
export const closeTestCustomer = (): void => isTestCustomerOpen.set(false);
