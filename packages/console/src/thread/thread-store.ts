import type { Message } from "@parley/contract";
import { createStore, type Store } from "../state/store.ts";
import { withConfirmed, type PendingMessage } from "./pending.ts";
import { EMPTY_WINDOW, WINDOW_MAX, withArrived, type ThreadWindow } from "./thread-window.ts";

/** What is kept of a conversation's messages. */
export interface ThreadState extends ThreadWindow {
  /** loading → ready | failed; failed → loading, by the agent; ready → loading, when the events between are gone. */
  readonly phase: "loading" | "ready" | "failed";
  /** Why the first page could not be loaded. */
  readonly error?: unknown;
  /** Which end is being loaded. */
  readonly extending?: "older" | "newer";
  /** Which end could not be loaded. */
  readonly failedEnd?: "older" | "newer";
  /** Messages arrived while a page was being loaded, which may end before them. */
  readonly missed: boolean;
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
  missed: false,
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

/** Threads that were opened, the one that was opened last comes last. */
const threads = new Map<string, Thread>();

/**
 * -> the thread of a conversation, which may still be loading; those that were not opened for longest are dropped
 * @shape own: kept if the conversation has none
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

/** Keys of rows are forgotten with the rows; the newest ones are kept. */
const withKey = (keys: ReadonlyMap<string, string>, id: string, key: string): ReadonlyMap<string, string> =>
  new Map([...[...keys].slice(1 - WINDOW_MAX), [id, key]]);

/** Adds messages that arrived by events. */
export const withEvents = (state: ThreadState, arrived: readonly Message[]): ThreadState => {
  const pending = withConfirmed(state.pending, arrived);
  if (state.phase !== "ready") return { ...state, pending, missed: true };
  const window = withArrived(state, arrived, state.isAtEnd);
  const known = new Set(state.messages.map(({ id }) => id));
  const added = arrived.filter(({ id }) => !known.has(id));
  const confirmed = new Set(pending.map(({ confirmedId }) => confirmedId));
  const others = added.filter(({ id }) => !confirmed.has(id));
  let { keys } = state;
  for (const { confirmedId, key } of pending)
    if (confirmedId !== undefined && !keys.has(confirmedId)) keys = withKey(keys, confirmedId, key);
  const isFollowed = state.isAtEnd && !window.hasNewer;
  return {
    ...state,
    ...window,
    pending,
    keys,
    missed: state.missed || state.extending === "newer",
    arrivals: isFollowed ? 0 : state.arrivals + others.length,
    announced: others.length === 0 ? state.announced : others.slice(-ANNOUNCED_MAX),
  };
};

/** The service confirmed a pending message. */
export const withSent = (state: ThreadState, key: string, message: Message): ThreadState => {
  const sent = state.pending.find((each) => each.key === key);
  const pending = state.pending.filter((each) => each !== sent);
  // An equal message of another device may have been taken for this one: its event shows it as well.
  const kept = [...state.keys].filter(([id]) => id !== sent?.confirmedId || id === message.id);
  const keys = withKey(new Map(kept), message.id, key);
  if (state.phase !== "ready") return { ...state, pending, keys, missed: true };
  return {
    ...state,
    ...withArrived(state, [message], state.isAtEnd),
    pending,
    keys,
    missed: state.missed || state.extending === "newer",
  };
};
