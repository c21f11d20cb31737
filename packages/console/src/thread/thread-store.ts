import type { Message } from "@parley/contract";
import { createStore, type Store } from "../state/store.ts";
import { withConfirmed, type PendingMessage } from "./pending.ts";
import { EMPTY_WINDOW, WINDOW_MAX, withArrived, type ThreadWindow } from "./thread-window.ts";

/** Loaded messages of a conversation. */
export interface ThreadState extends ThreadWindow {
  /** loading → ready | failed; failed → loading, by the agent. */
  readonly phase: "loading" | "ready" | "failed";
  /** Why the first page could not be loaded. */
  readonly error?: unknown;
  /** Which end is being loaded. */
  readonly extending?: "older" | "newer";
  /** Which end could not be loaded. */
  readonly failedEnd?: "older" | "newer";
  /** Messages that arrived while the newer end was being loaded: they are added to the page if it reaches the newest message. */
  readonly missed: readonly Message[];
  /** Messages after the last one may be missing, since their events were not received. */
  readonly hasGap: boolean;
  readonly pending: readonly PendingMessage[];
  readonly keys: ReadonlyMap<string, string>;
  /** Messages that arrived below what the reader sees. */
  readonly arrivals: number;
  /** The latest messages that arrived, for screen readers. */
  readonly announced: readonly Message[];
  /** Whether the reader is at the newest message. */
  readonly isAtEnd: boolean;
}

export type Thread = Store<ThreadState>;

const INITIAL: ThreadState = {
  ...EMPTY_WINDOW,
  phase: "loading",
  missed: [],
  hasGap: false,
  pending: [],
  keys: new Map(),
  arrivals: 0,
  announced: [],
  isAtEnd: true,
};

/** Threads that are kept after they were closed, so that they open at once again. */
const CLOSED_MAX = 8;
/** Messages that are announced at most; more at once are a number. */
const ANNOUNCED_MAX = 3;

/** Opened threads, in the order in which they were opened. */
const threads = new Map<string, Thread>();

/**
 * -> the thread of a conversation, which may still be loading; those that were not opened for longest are dropped
 * @shape own: kept if the conversation has no thread
 */
export const openThread = (conversationId: string, own?: Thread): Thread => {
  const thread = threads.get(conversationId) ?? own ?? createStore(INITIAL);
  threads.delete(conversationId);
  threads.set(conversationId, thread);
  for (const [id, each] of threads) {
    if (threads.size <= CLOSED_MAX + 1) break;
    // Messages that were not sent are kept until the agent has seen to them.
    if (id !== conversationId && each.get().pending.length === 0) threads.delete(id);
  }
  return thread;
};

/** Forgets a thread that is not at its end when it is closed: it opens at the newest message again. */
export const closeThread = (conversationId: string): void => {
  const thread = threads.get(conversationId);
  if (!thread) return;
  const { phase, hasNewer, pending } = thread.get();
  if (pending.length === 0 && (phase !== "ready" || hasNewer)) threads.delete(conversationId);
  else thread.update((state) => ({ ...state, isAtEnd: true, arrivals: 0, announced: [] }));
};

export const knownThread = (conversationId: string): Thread | undefined => threads.get(conversationId);
export const knownThreads = (): readonly (readonly [string, Thread])[] => [...threads];

/** Whether messages of this page were not sent, or are being sent. */
export const hasUnsent = (): boolean =>
  [...threads.values()].some((thread) => thread.get().pending.some(({ confirmedId }) => confirmedId === undefined));

/** Keys of rows are removed with the rows; the newest keys are kept. */
const withKey = (keys: ReadonlyMap<string, string>, id: string, key: string): ReadonlyMap<string, string> =>
  new Map([...[...keys].slice(1 - WINDOW_MAX), [id, key]]);

/** Adds messages at the end, or keeps them until the messages before them are known. */
const withMessages = (state: ThreadState, added: readonly Message[]): ThreadState => {
  const isLoading = state.phase !== "ready" || state.extending === "newer";
  if (isLoading) {
    const missed = [...state.missed, ...added];
    // More than a window takes are read from the service.
    return missed.length > WINDOW_MAX ? { ...state, missed: [], hasGap: true } : { ...state, missed };
  }
  return state.hasGap ? state : { ...state, ...withArrived(state, added, state.isAtEnd) };
};

/** Adds messages that arrived by events. */
export const withEvents = (state: ThreadState, arrived: readonly Message[]): ThreadState => {
  const pending = withConfirmed(state.pending, arrived);
  const known = new Set(state.messages.map(({ id }) => id));
  const confirmed = new Set(pending.map(({ confirmedId }) => confirmedId));
  const others = arrived.filter(({ id }) => !known.has(id) && !confirmed.has(id));
  let { keys } = state;
  for (const { confirmedId, key } of pending)
    if (confirmedId !== undefined && !keys.has(confirmedId)) keys = withKey(keys, confirmedId, key);
  const next = { ...withMessages(state, arrived), pending, keys };
  if (next.phase !== "ready") return next;
  const isFollowed = next.isAtEnd && !next.hasNewer;
  return {
    ...next,
    arrivals: isFollowed ? 0 : next.arrivals + others.length,
    announced: others.length === 0 ? next.announced : others.slice(-ANNOUNCED_MAX),
  };
};

/** The service confirmed a pending message. */
export const withSent = (state: ThreadState, key: string, message: Message): ThreadState => {
  const sent = state.pending.find((each) => each.key === key);
  const pending = state.pending.filter((each) => each !== sent);
  // An equal message of another device may have been taken for this message: its event shows it as well.
  const kept = [...state.keys].filter(([id]) => id !== sent?.confirmedId || id === message.id);
  return { ...withMessages(state, [message]), pending, keys: withKey(new Map(kept), message.id, key) };
};

/** Events were not received: messages after the last message are read again when the end of the thread is shown. */
export const withGap = (state: ThreadState): ThreadState => ({ ...state, hasGap: true });

/** A page was loaded that extends or replaces the window. Its end is the newest message, or what arrived meanwhile. */
export const withLoaded = (state: ThreadState, window: ThreadWindow): ThreadState => {
  const { extending: _extending, failedEnd: _failedEnd, error: _error, missed, ...others } = state;
  const complete = window.hasNewer || state.hasGap ? window : withArrived(window, missed, state.isAtEnd);
  return { ...others, ...complete, missed: [], phase: "ready" };
};
