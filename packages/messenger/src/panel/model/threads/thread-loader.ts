import type { ApiClient } from "../api/api-client.ts";
import { isRefusedWith } from "../api/request-error.ts";
import { WIRE } from "../contract-values.ts";
import type { OutgoingMessage, PanelState, ThreadKey } from "../panel-model.ts";
import type { Store } from "../store.ts";
import type { Activity } from "./activity.ts";
import type { Drafts } from "./drafts.ts";
import { changeThread, emptyThread, topicOfKey, withConversations, withThread } from "./panel-state.ts";
import { lastReadId, withNewestPage, withOlderPage } from "./thread-messages.ts";

/** Reads conversations and their messages. Replies that arrive after the person changed are discarded. */
export interface ThreadLoader {
  /** @errors RequestError */
  readonly loadConversations: () => Promise<void>;
  /** Shows a thread, and reads its newest messages if they are not known. */
  readonly open: (key: ThreadKey) => void;
  readonly loadOlder: (key: ThreadKey) => void;
  /** Reads again what may have changed without an event. */
  readonly refresh: () => void;
  /** An event has changed conversations. */
  readonly noteChange: () => void;
  readonly forget: () => void;
}

interface ThreadLoaderDeps {
  readonly api: ApiClient;
  readonly state: Store<PanelState>;
  readonly drafts: Drafts;
  readonly activity: Pick<Activity, "withRead">;
  readonly outgoing: (key: ThreadKey) => readonly OutgoingMessage[];
}

/** Reads of the list while events change it. */
const LIST_READS_MAX = 3;

export const createThreadLoader = ({ api, state, drafts, activity, outgoing }: ThreadLoaderDeps): ThreadLoader => {
  /** Threads whose newest messages are known. */
  const current = new Set<ThreadKey>();
  let changes = 0;
  let person = 0;

  const loadConversations = async (): Promise<void> => {
    const owner = person;
    for (let reads = 0; reads < LIST_READS_MAX; reads++) {
      const before = changes;
      const { conversations } = await api.call("listMessengerConversations", {});
      if (person !== owner) return;
      if (changes !== before && reads + 1 < LIST_READS_MAX) continue;
      return state.update((value) => withConversations(value, conversations.map(activity.withRead)));
    }
  };

  const page = (key: ThreadKey, before?: string) =>
    api.call("listMessengerMessages", {
      params: { conversation_id: key },
      query: { limit: WIRE.threadPageSize, ...(before !== undefined && { before }) },
    });

  const loadNewest = async (key: ThreadKey, unreadCount: number): Promise<void> => {
    const owner = person;
    state.update((value) => changeThread(value, key, (thread) => ({ ...thread, isLoading: true })));
    try {
      const newest = await page(key);
      if (person !== owner) return;
      current.add(key);
      state.update((value) =>
        changeThread(value, key, (thread) => {
          const merged = withNewestPage(thread, newest);
          const readBefore = unreadCount > 0 ? lastReadId(merged.messages, unreadCount) : thread.readBefore;
          return { ...thread, ...merged, ...(readBefore !== undefined && { readBefore }) };
        }),
      );
    } catch (error) {
      if (isRefusedWith(error, "CONVERSATION_NOT_FOUND")) await loadConversations();
    } finally {
      if (person === owner)
        state.update((value) => changeThread(value, key, (thread) => ({ ...thread, isLoading: false })));
    }
  };

  return {
    loadConversations,
    open(key) {
      state.update((value) => {
        const conversation = value.conversations.find(({ id }) => id === key);
        const topicId = conversation?.topic_id ?? topicOfKey(key);
        if (topicId === undefined) return value;
        const known = value.threads.get(key) ?? emptyThread(topicId, conversation);
        const { readBefore: _readBefore, ...thread } = known;
        const unread = conversation?.unread_count ?? 0;
        const readBefore = unread > 0 ? lastReadId(thread.messages, unread) : undefined;
        const opened = {
          ...thread,
          draft: thread.draft || drafts.get(key),
          outgoing: outgoing(key),
          ...(readBefore !== undefined && { readBefore }),
        };
        return { ...withThread(value, key, opened), place: { kind: "thread", key } };
      });
      const { conversation } = state.get().threads.get(key) ?? {};
      if (conversation && !current.has(key)) void loadNewest(key, conversation.unread_count);
    },
    loadOlder(key) {
      const thread = state.get().threads.get(key);
      const [oldest] = thread?.messages ?? [];
      if (!thread?.hasOlder || thread.isLoadingOlder || !oldest) return;
      const owner = person;
      const setLoading = (isLoadingOlder: boolean): void =>
        state.update((value) => changeThread(value, key, (each) => ({ ...each, isLoadingOlder })));
      setLoading(true);
      page(key, oldest.id)
        .then((older) => {
          if (person !== owner) return;
          state.update((value) => changeThread(value, key, (each) => ({ ...each, ...withOlderPage(each, older) })));
        })
        .catch(() => undefined)
        .finally(() => person === owner && setLoading(false));
    },
    refresh() {
      current.clear();
      loadConversations().catch(() => undefined);
      const { place } = state.get();
      if (place.kind === "thread" && topicOfKey(place.key) === undefined) void loadNewest(place.key, 0);
    },
    noteChange: () => void changes++,
    forget() {
      person += 1;
      current.clear();
    },
  };
};
