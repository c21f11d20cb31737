import type { MessengerConversation } from "@parley/contract";
import type { ApiClient } from "../api/api-client.ts";
import type { PanelState, ThreadKey } from "../panel-model.ts";
import type { Store } from "../store.ts";
import { changeConversation } from "./panel-state.ts";

/** Reports to the agents that the visitor writes, and what the visitor has read. A report that fails is not repeated. */
export interface Activity {
  readonly typing: (key: ThreadKey) => void;
  /** The visitor has removed or sent the text. */
  readonly stoppedTyping: (key: ThreadKey) => void;
  readonly read: (key: ThreadKey, messageId: string) => void;
  /** Another tab reported that a message was read. */
  readonly noteRead: (conversationId: string, messageId: string) => void;
  /** -> the conversation without unread messages if they were read in this browser meanwhile */
  readonly withRead: (conversation: MessengerConversation) => MessengerConversation;
  readonly forget: () => void;
}

interface ActivityDeps {
  readonly api: ApiClient;
  readonly state: Store<PanelState>;
  readonly now: () => number;
  readonly onRead: (conversationId: string, messageId: string) => void;
}

/** Shortest time between two reports that the visitor writes; each holds for 8 seconds. @units milliseconds */
const TYPING_INTERVAL_MS = 3_000;
const TYPING_HOLDS_MS = 8_000;
/** Messages that are read within this time are reported together. @units milliseconds */
const READ_DELAY_MS = 400;

export const createActivity = ({ api, state, now, onRead }: ActivityDeps): Activity => {
  const typedAt = new Map<string, number>();
  /** Times of the last messages that were read, by conversation. */
  const readTimes = new Map<string, string>();
  const unreported = new Map<string, string>();

  const report = (conversation_id: string, body: { is_typing?: boolean; read_message_id?: string }): void =>
    void api.call("reportVisitorActivity", { params: { conversation_id }, body }).catch(() => undefined);
  const conversationOf = (key: ThreadKey) => state.get().conversations.find(({ id }) => id === key);

  const reportReads = (): void => {
    for (const [id, read_message_id] of unreported) report(id, { read_message_id });
    unreported.clear();
  };

  /** -> whether the visitor had not read the message before */
  const noteRead = (conversationId: string, messageId: string): boolean => {
    const conversation = conversationOf(conversationId);
    const { messages = [] } = state.get().threads.get(conversationId) ?? {};
    const last = conversation?.last_message;
    const index = messages.findIndex(({ id }) => id === messageId);
    const message = messages[index] ?? (last?.id === messageId ? last : undefined);
    if (!message || message.created_time <= (readTimes.get(conversationId) ?? "")) return false;
    readTimes.set(conversationId, message.created_time);
    const later = index === -1 ? [] : messages.slice(index + 1).filter(({ actor }) => actor.type !== "user");
    const hadUnread = (conversation?.unread_count ?? 0) > later.length;
    if (hadUnread)
      state.update((current) =>
        changeConversation(current, conversationId, (each) => ({ ...each, unread_count: later.length })),
      );
    return hadUnread;
  };

  return {
    typing(key) {
      if (!conversationOf(key)?.is_latest || now() - (typedAt.get(key) ?? -Infinity) < TYPING_INTERVAL_MS) return;
      typedAt.set(key, now());
      report(key, { is_typing: true });
    },
    stoppedTyping(key) {
      const isShown = now() - (typedAt.get(key) ?? -Infinity) < TYPING_HOLDS_MS;
      typedAt.delete(key);
      if (isShown) report(key, { is_typing: false });
    },
    read(key, messageId) {
      if (!state.get().isOpen || !noteRead(key, messageId)) return;
      if (unreported.size === 0) setTimeout(reportReads, READ_DELAY_MS);
      unreported.set(key, messageId);
      onRead(key, messageId);
    },
    noteRead: (conversationId, messageId) => void noteRead(conversationId, messageId),
    withRead(conversation) {
      const time = conversation.last_message?.created_time;
      const isRead = time !== undefined && time <= (readTimes.get(conversation.id) ?? "");
      return isRead ? { ...conversation, unread_count: 0 } : conversation;
    },
    forget() {
      typedAt.clear();
      readTimes.clear();
      unreported.clear();
    },
  };
};
