import type { SavedView, Workspace } from "@parley/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { COUNTS_KEY } from "../conversation/conversation-query.ts";
import { noteReading } from "../conversation/readings.ts";
import { isAtLeast } from "../workspace/roles.ts";
import { client } from "../session/session.ts";

export const countsQuery = queryOptions({
  queryKey: COUNTS_KEY,
  queryFn: async ({ signal }) => noteReading(await client.inbox.countInbox({ signal })),
});

/** Key of the saved views; a change on another device invalidates it. */
export const savedViewsQuery = queryOptions({
  queryKey: ["views"],
  queryFn: ({ signal }) => client.savedViews.listViews({ signal }),
});

const NO_VIEWS: readonly SavedView[] = [];

/** The agent's saved views and the shared views; empty until they are known. */
export const useSavedViews = (): readonly SavedView[] => useQuery(savedViewsQuery).data?.views ?? NO_VIEWS;

/** Whether the agent may change a saved view. */
export const mayChangeView = ({ owner_id, is_shared }: SavedView, { agent }: Workspace): boolean =>
  owner_id === agent.agent_id || (is_shared && isAtLeast(agent.role, "ADMIN"));
