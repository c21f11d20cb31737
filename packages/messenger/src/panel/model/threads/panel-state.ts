import type { MessengerConversation, MessengerMessage, MessengerTyping } from "@parley/contract";
import type { PanelState, Thread, ThreadKey } from "../panel-model.ts";
import { withArrived } from "./thread-messages.ts";

/** Pure changes of the state. */

const TOPIC_PREFIX = "topic:";
export const topicKey = (topicId: string): ThreadKey => TOPIC_PREFIX + topicId;
/** -> id of the topic whose conversation has not begun; undefined for the key of a conversation */
export const topicOfKey = (key: ThreadKey): string | undefined =>
  key.startsWith(TOPIC_PREFIX) ? key.slice(TOPIC_PREFIX.length) : undefined;

export const INITIAL_STATE: PanelState = {
  phase: "connecting",
  options: {},
  isOpen: false,
  isFocused: false,
  connection: "none",
  isBlocked: false,
  isUnsigned: false,
  conversations: [],
  place: { kind: "home" },
  threads: new Map(),
  unreadCount: 0,
  preferences: {},
  isKept: true,
};

/** Without everything that belongs to the person at this browser. */
export const withoutPerson = (state: PanelState): PanelState => {
  const { visitor: _visitor, conversationProperties: _properties, options, ...others } = state;
  const { externalId: _externalId, restoreId: _restoreId, profile: _profile, signedToken: _token, ...kept } = options;
  return {
    ...others,
    options: kept,
    connection: "none",
    isBlocked: false,
    conversations: [],
    place: { kind: "home" },
    threads: new Map(),
    unreadCount: 0,
    preferences: {},
  };
};

export const emptyThread = (topicId: string, conversation?: MessengerConversation): Thread => ({
  topicId,
  ...(conversation && { conversation }),
  messages: [],
  outgoing: [],
  isLoading: false,
  hasOlder: false,
  isLoadingOlder: false,
  typing: [],
  draft: "",
});

export const withThread = (state: PanelState, key: ThreadKey, thread: Thread): PanelState => ({
  ...state,
  threads: new Map(state.threads).set(key, thread),
});

/** Changes a thread if the state has it. */
export const changeThread = (state: PanelState, key: ThreadKey, change: (thread: Thread) => Thread): PanelState => {
  const thread = state.threads.get(key);
  return thread ? withThread(state, key, change(thread)) : state;
};

const isNewer = (one: MessengerConversation, other: MessengerConversation): number =>
  Number(other.is_latest) - Number(one.is_latest) || (one.created_time < other.created_time ? 1 : -1);

/** Replaces the list of conversations, and the conversations of the threads. */
export const withConversations = (state: PanelState, conversations: readonly MessengerConversation[]): PanelState => {
  const byId = new Map(conversations.map((each) => [each.id, each]));
  const threads = [...state.threads].map(([key, thread]): [ThreadKey, Thread] => {
    const conversation = byId.get(key);
    return [key, conversation && conversation !== thread.conversation ? { ...thread, conversation } : thread];
  });
  return {
    ...state,
    conversations: [...conversations].sort(isNewer),
    threads: new Map(threads),
    unreadCount: conversations.reduce((sum, { unread_count }) => sum + unread_count, 0),
  };
};

/** Adds or replaces a conversation. Only one is the latest. */
export const withConversation = (state: PanelState, conversation: MessengerConversation): PanelState => {
  const others = state.conversations.filter(({ id }) => id !== conversation.id);
  const rest = others.map((each) => (conversation.is_latest && each.is_latest ? { ...each, is_latest: false } : each));
  return withConversations(state, [...rest, conversation]);
};

/** Changes a conversation if the state has it. */
export const changeConversation = (
  state: PanelState,
  conversationId: string,
  change: (conversation: MessengerConversation) => MessengerConversation,
): PanelState => {
  const conversation = state.conversations.find(({ id }) => id === conversationId);
  return conversation ? withConversation(state, change(conversation)) : state;
};

/** Whether a message is not yet known: it is later than the last message of its conversation. */
const isLast = (message: MessengerMessage, last: MessengerMessage | undefined): boolean =>
  last === undefined || (last.id !== message.id && last.created_time <= message.created_time);

/** Whether the message is that of an event that was handled before, or that the list of conversations contains. */
const isKnownMessage = (state: PanelState, message: MessengerMessage): boolean => {
  const last = state.conversations.find(({ id }) => id === message.conversation_id)?.last_message;
  const isInThread = state.threads.get(message.conversation_id)?.messages.some(({ id }) => id === message.id);
  return isInThread === true || !isLast(message, last);
};

/** Adds a message to its conversation and to its thread. @shape isCounted: whether it can be a further unread message */
export const withMessage = (state: PanelState, message: MessengerMessage, isCounted: boolean): PanelState => {
  const isOwn = message.actor.type === "user";
  const isUnread = isCounted && !isOwn && !isKnownMessage(state, message);
  const changed = changeThread(state, message.conversation_id, (thread) => ({
    ...thread,
    messages: withArrived(thread.messages, [message]),
    typing: isOwn ? thread.typing : [],
  }));
  return changeConversation(changed, message.conversation_id, (conversation) => ({
    ...conversation,
    ...(isLast(message, conversation.last_message) && { last_message: message }),
    unread_count: conversation.unread_count + Number(isUnread),
  }));
};

export const withTyping = (state: PanelState, { conversation_id, actors }: MessengerTyping): PanelState =>
  changeThread(state, conversation_id, (thread) => ({ ...thread, typing: actors }));

/** Gives the thread of a topic the key of the conversation that has begun. */
export const withBegunThread = (state: PanelState, key: ThreadKey, conversation: MessengerConversation): PanelState => {
  const thread = state.threads.get(key);
  if (!thread) return state;
  const threads = new Map(state.threads);
  threads.delete(key);
  const known = threads.get(conversation.id);
  threads.set(conversation.id, {
    ...thread,
    conversation,
    messages: withArrived(known?.messages ?? [], thread.messages),
    outgoing: [...(known?.outgoing ?? []), ...thread.outgoing],
  });
  const isShown = state.place.kind === "thread" && state.place.key === key;
  return { ...state, threads, ...(isShown && { place: { kind: "thread", key: conversation.id } as const }) };
};
