import { isProblemError } from "@parley/client/session";
import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";
import {
  conversationQuery,
  COUNTS_KEY,
  INBOX_KEY,
  patchConversation,
  readConversation,
} from "../conversation/conversation-query.ts";
import { cachedLists, changeTogether } from "./cached-lists.ts";
import type { InboxList } from "./inbox-list.ts";
import { rereadBeginning } from "./list-query.ts";
import { createRevalidation, type Revalidation } from "./revalidation.ts";
import { shownIds } from "./shown-rows.ts";

/** Conversations that are read again one by one at a time; with more, the lists are. */
const ITEMS_AT_ONCE = 10;

/** Conversations that must be read again, such as those that the agent has read on another device. */
const wanted = new Set<string>();

/** Reads one conversation again, and brings it into the lists. */
const rereadItem = async (queries: QueryClient, id: string): Promise<void> => {
  const known = cachedLists(queries).find(id);
  try {
    const after = await readConversation(id);
    const lists = cachedLists(queries);
    // Conversations that changed meanwhile, by an event or by the agent, may be newer than the response.
    if (lists.find(id) !== known) return requestReread(queries, id);
    lists.change({ before: lists.find(id), after, isCertain: true });
    changeTogether(() => {
      lists.commit();
      patchConversation(queries, id, () => after);
    });
  } catch (error) {
    if (!isProblemError(error) || error.problem.code !== 404) return;
    const lists = cachedLists(queries);
    lists.remove(id);
    lists.commit();
  }
};

const rereadList = async (queries: QueryClient, key: QueryKey): Promise<void> => {
  if (queries.getQueryData<InboxList>(key)?.isStale === true) await rereadBeginning(queries, key);
  const doubts = queries.getQueryData<InboxList>(key)?.doubts ?? [];
  const shown = shownIds();
  for (const id of doubts.filter((each) => shown.has(each)).slice(-ITEMS_AT_ONCE)) await rereadItem(queries, id);
};

const rereadWanted = async (queries: QueryClient): Promise<void> => {
  const ids = [...wanted];
  wanted.clear();
  if (ids.length <= ITEMS_AT_ONCE) for (const id of ids) await rereadItem(queries, id);
  else await queries.invalidateQueries({ queryKey: INBOX_KEY });
};

/** A list that is being read is read again if events came meanwhile: the response is the state from before them. */
const rereadShown = async (queries: QueryClient, { queryKey, promise, state }: Query): Promise<void> => {
  if (state.fetchStatus === "paused") return;
  await promise?.catch(() => undefined);
  await rereadList(queries, queryKey);
};

/** Reads shown data that events did not contain. Failed requests are repeated with the next events. */
const reread = async (queries: QueryClient): Promise<void> => {
  const shown = queries
    .getQueryCache()
    .findAll({ queryKey: INBOX_KEY, type: "active" })
    .map((query) => rereadShown(queries, query));
  await Promise.allSettled([queries.invalidateQueries({ queryKey: COUNTS_KEY }), rereadWanted(queries), ...shown]);
};

const [CONVERSATION] = conversationQuery("").queryKey;

/** Conversations and the lists that show them may have changed without an event: they are read again, and lists keep their loaded conversations. */
export const rereadConversations = (queries: QueryClient): void => {
  void queries.invalidateQueries({ queryKey: [CONVERSATION] });
  void queries.invalidateQueries({ queryKey: INBOX_KEY, refetchType: "none" });
  queries.setQueriesData<InboxList>(
    { queryKey: INBOX_KEY, type: "active" },
    (list) => list && { ...list, isStale: true },
  );
  requestReread(queries);
};

const revalidations = new WeakMap<QueryClient, Revalidation>();

/** Numbers, and conversations that events left in doubt, are read again soon. @shape id: of a conversation that must be read */
export const requestReread = (queries: QueryClient, id?: string): void => {
  if (id !== undefined) wanted.add(id);
  const revalidation = revalidations.get(queries) ?? createRevalidation(() => reread(queries));
  revalidations.set(queries, revalidation);
  revalidation.request();
};
