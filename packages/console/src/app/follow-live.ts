import type { Workspace } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import { onOutdatedReading } from "../conversation/readings.ts";
import { applyToCustomers } from "../customers/apply-events.ts";
import { dropCustomer, openConversationsOf } from "../customers/customer-cache.ts";
import { applyToInbox } from "../inbox/apply-events.ts";
import { requestReread } from "../inbox/rereading.ts";
import { onLiveItems, startLive } from "../live/live.ts";
import type { LiveItem } from "../live/live-messages.ts";
import { notifyAgent } from "../preferences/notifications.ts";
import { onRefusal, sessionName } from "../session/session.ts";
import { applyToThreads, reloadThreads, rereadThreads } from "../thread/apply-events.ts";
import { rereadWorkspace, workspaceQuery } from "../workspace/workspace.ts";

/** The first stream begins within this time after the workspace was read, unless the network is slow. @units milliseconds */
const BEGINNING_MS = 5_000;

/** Something of the agent's own changed on another device, or a customer was deleted: read it anew. */
const applyOwnChanges = (queries: QueryClient, items: readonly LiveItem[]): void => {
  for (const item of items) {
    if (item.event !== "own_change") continue;
    const { kind, user_id } = item.data;
    if (kind === "draft") void queries.invalidateQueries({ queryKey: ["drafts"] });
    if (kind === "views") void queries.invalidateQueries({ queryKey: ["views"] });
    if (kind === "reply_templates") void queries.invalidateQueries({ queryKey: ["reply-templates"] });
    if (kind === "report_requests") void queries.invalidateQueries({ queryKey: ["report-requests"] });
    if (kind === "deleted_user" && user_id !== undefined) {
      const conversationIds = openConversationsOf(queries, user_id);
      dropCustomer(queries, user_id);
      rereadThreads(conversationIds);
    }
  }
};

const apply = (queries: QueryClient, items: readonly LiveItem[], workspace: Workspace): void => {
  // The events between were removed from the log: everything may have changed.
  if (items.some(({ event }) => event === "reset")) void queries.invalidateQueries();
  applyOwnChanges(queries, items);
  applyToInbox(queries, items);
  applyToThreads(queries, items);
  applyToCustomers(queries, items);
  notifyAgent(items, workspace);
};

/** Reads again what the log does not contain: those who were not connected were not told. */
const readUnlogged = (queries: QueryClient): void => {
  for (const name of ["drafts", "views", "reply-templates", "report-requests"])
    void queries.invalidateQueries({ queryKey: [name] });
  requestReread(queries);
};

/** Resolves when nothing is being read. */
const idle = (queries: QueryClient): Promise<void> =>
  new Promise((resolve) => {
    const end = queries.getQueryCache().subscribe(() => {
      if (queries.isFetching() === 0) finish();
    });
    const finish = (): void => {
      end();
      resolve();
    };
    if (queries.isFetching() === 0) finish();
  });

/**
 * Reads again the data that was read before the stream began: events between the reading and the beginning are in neither. If the first requests
 * waited for the stream, the page would show its first list one round trip later.
 */
const readAgain = async (queries: QueryClient): Promise<void> => {
  const before = queries.getQueryCache().findAll({
    predicate: ({ queryKey, state }) =>
      queryKey[0] !== workspaceQuery.queryKey[0] && (state.dataUpdatedAt > 0 || state.fetchStatus === "fetching"),
  });
  reloadThreads();
  // A cancelled request would delay the first contents of the page.
  await idle(queries);
  await queries.invalidateQueries({ predicate: (query) => before.includes(query) });
};

/** Keeps what the pages show up to date by the events of the account. */
export const followLive = (queries: QueryClient): void => {
  /** Items that arrive before the workspace, without which they can't be applied. */
  let early: readonly LiveItem[] = [];
  /** Whether the next start of a stream is one after which everything is read again. */
  let isBeginning = false;
  onLiveItems((items) => {
    const workspace = queries.getQueryData(workspaceQuery.queryKey);
    if (!workspace) {
      early = [...early, ...items];
      return;
    }
    const all = [...early, ...items];
    early = [];
    apply(queries, all, workspace);
    const start = all.findLast((item) => item.event === "stream_start");
    if (!start) return;
    if (!isBeginning) readUnlogged(queries);
    // The role may have changed before the first stream of the page began. Later changes end the stream, and another stream begins.
    const { role_id, scope } = workspace.agent;
    const isSameAgent = start.data.role_id === role_id && start.data.scope === scope;
    rereadWorkspace(queries, { freshMs: isBeginning && isSameAgent ? BEGINNING_MS : 0 });
    isBeginning = false;
  });
  onRefusal(() => rereadWorkspace(queries));
  onOutdatedReading(() => requestReread(queries));
  const agentId = () => queries.getQueryData(workspaceQuery.queryKey)?.agent.agent_id;
  startLive(sessionName(), agentId, () => {
    isBeginning = true;
    void readAgain(queries);
  });
};
