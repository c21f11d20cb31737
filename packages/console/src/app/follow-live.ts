import type { QueryClient } from "@tanstack/react-query";
import { applyToInbox } from "../inbox/apply-events.ts";
import { applyToThreads } from "../thread/apply-events.ts";
import { applyToCustomers } from "../customers/apply-events.ts";
import { onLiveItems, startLive } from "../live/live.ts";
import type { LiveItem } from "../live/live-messages.ts";
import { notifyAgent } from "../preferences/notifications.ts";
import { workspaceQuery } from "../workspace/workspace.ts";

/** Something of the agent's own changed on another device: read it anew. */
const applyOwnChanges = (queries: QueryClient, items: readonly LiveItem[]): void => {
  for (const item of items) {
    if (item.event !== "own_change") continue;
    const { kind } = item.data;
    if (kind === "draft") void queries.invalidateQueries({ queryKey: ["drafts"] });
    if (kind === "views") void queries.invalidateQueries({ queryKey: ["views"] });
    if (kind === "reply_templates") void queries.invalidateQueries({ queryKey: ["reply-templates"] });
  }
};

/** Keeps what the pages show up to date by the events of the account. */
export const followLive = (queries: QueryClient): void => {
  const workspace = queries.getQueryData(workspaceQuery.queryKey);
  if (!workspace || workspace.agent.scope === "None") return;
  onLiveItems((items) => {
    // The events between were removed from the log: everything may have changed.
    if (items.some(({ event }) => event === "reset")) void queries.invalidateQueries();
    applyOwnChanges(queries, items);
    applyToInbox(queries, items, workspace);
    applyToThreads(queries, items);
    applyToCustomers(queries, items);
    notifyAgent(items, workspace);
  });
  startLive(`parley-live ${workspace.agent.agent_id}`);
};
