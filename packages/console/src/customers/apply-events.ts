import type { QueryClient } from "@tanstack/react-query";
import type { LiveItem } from "../live/live-messages.ts";

/** Brings changes of customers into what was read of them. */
export const applyToCustomers = (_queries: QueryClient, _items: readonly LiveItem[]): void => undefined;
