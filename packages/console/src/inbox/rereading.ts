import { isProblemError } from "@parley/client/session";
import type { InboxItem } from "@parley/contract";
import type { Query, QueryClient } from "@tanstack/react-query";
import { conversationQuery, COUNTS_KEY, INBOX_KEY, readConversation } from "../conversation/conversation-query.ts";
import { rereadInList } from "./list-query.ts";
import { createRevalidation } from "./revalidation.ts";

/** Conversations that have changed since they were read. */
let changed = new Set<string>();
/** Whether any conversation may have changed. */
let isAnyChanged = false;
/** Conversations that the agent has read: they are read again with the numbers. */
const readByAgent = new Set<string>();

const [CONVERSATION, ...ID] = conversationQuery("").queryKey;
export const isConversation = ({ queryKey }: Pick<Query, "queryKey">): boolean =>
  queryKey[0] === CONVERSATION && queryKey.length === ID.length + 1;

/** Reads a conversation again that is shown. -> whether it is as the response says: what the agent has changed meanwhile may be newer */
const rereadConversation = async (queries: QueryClient, { queryKey, state }: Query): Promise<boolean> => {
  const known = state.data as InboxItem;
  try {
    const item = await readConversation(known.conversation_id);
    if (queries.getQueryData(queryKey) !== known) return false;
    queries.setQueryData(queryKey, item);
  } catch (error) {
    if (!isProblemError(error) || error.problem.code !== 404) throw error;
  }
  return true;
};

/** Reads what is shown of the changed conversations. What is not shown is read again when it is. Failed requests are repeated with the next changes. */
const reread = async (queries: QueryClient): Promise<void> => {
  const ids = isAnyChanged ? undefined : changed;
  const before = { changed, isAnyChanged };
  [changed, isAnyChanged] = [new Set(), false];
  const isAffected = (query: Query): boolean => {
    const item = query.state.data as InboxItem | undefined;
    return isConversation(query) && item !== undefined && (!ids || ids.has(item.conversation_id));
  };
  const notShown = { type: "inactive", refetchType: "none" } as const;
  void queries.invalidateQueries({ queryKey: INBOX_KEY, ...notShown });
  void queries.invalidateQueries({ predicate: isAffected, ...notShown });
  const cache = queries.getQueryCache();
  const results = await Promise.allSettled([
    ...cache
      .findAll({ queryKey: INBOX_KEY, type: "active" })
      .map(({ queryKey }) => rereadInList(queries, queryKey, ids)),
    ...cache.findAll({ predicate: isAffected, type: "active" }).map((query) => rereadConversation(queries, query)),
  ]);
  const isDone = (result: PromiseSettledResult<boolean>): boolean => result.status === "fulfilled" && result.value;
  if (results.every(isDone)) return;
  for (const id of before.changed) changed.add(id);
  isAnyChanged ||= before.isAnyChanged;
  if (results.every(({ status }) => status === "fulfilled")) requestReread(queries, []);
};

/** Pause before a reading, and the least time between two: events that follow each other closely share one. @units milliseconds */
const CONVERSATION_DELAYS = { first: 20, shown: 1_000, hidden: 15_000 } as const;
const COUNT_DELAYS = { first: 250, shown: 3_000, hidden: 15_000 } as const;

const createRevalidations = (queries: QueryClient) => {
  const conversations = createRevalidation(() => reread(queries), CONVERSATION_DELAYS);
  const counts = createRevalidation(() => {
    if (readByAgent.size > 0) conversations.request();
    for (const id of readByAgent) changed.add(id);
    readByAgent.clear();
    return queries.invalidateQueries({ queryKey: COUNTS_KEY });
  }, COUNT_DELAYS);
  return { conversations, counts };
};
const revalidations = new WeakMap<QueryClient, ReturnType<typeof createRevalidations>>();
const revalidationsOf = (queries: QueryClient): ReturnType<typeof createRevalidations> => {
  const known = revalidations.get(queries) ?? createRevalidations(queries);
  revalidations.set(queries, known);
  return known;
};

/** Conversations, the lists that show them and the numbers are read again soon. @shape ids: of changed conversations; absent: any may have changed */
export const requestReread = (queries: QueryClient, ids?: Iterable<string>): void => {
  const { conversations, counts } = revalidationsOf(queries);
  if (!ids) isAnyChanged = true;
  for (const id of ids ?? []) changed.add(id);
  conversations.request();
  counts.request();
};

/** The same, with the next reading of the numbers: for conversations that the agent has read, whose rows mostly show it already. */
export const requestRereadWithCounts = (queries: QueryClient, ids: readonly string[]): void => {
  for (const id of ids) readByAgent.add(id);
  revalidationsOf(queries).counts.request();
};
