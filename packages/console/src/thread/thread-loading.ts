import { isProblemError } from "@parley/client/session";
import { client } from "../session/session.ts";
import { VALUES } from "../contract-values.ts";
import { knownThread, withLoaded, type Thread, type ThreadState } from "./thread-store.ts";
import { windowOf, withNewer, withOlder, type ThreadPage } from "./thread-window.ts";

/** Messages of a page that extends a thread. */
const EXTENSION_SIZE = 2 * VALUES.threadPageSize;

type Place = { readonly before?: string; readonly after?: string; readonly around?: string };

const read = (conversationId: string, place: Place, limit: number): Promise<ThreadPage> =>
  client.threads.listThread({ params: { conversation_id: conversationId }, query: { ...place, limit } });

/** Members of a thread that is not being loaded. */
const settled = ({ extending: _extending, failedEnd: _failed, error: _error, ...state }: ThreadState): ThreadState => ({
  ...state,
  missed: [],
});

const loadingEnd = (state: ThreadState, end: "older" | "newer"): ThreadState => ({
  ...settled(state),
  extending: end,
  // A gap that appears from now on remains after the load.
  hasGap: end === "older" && state.hasGap,
});

const loads = new WeakMap<Thread, object>();

/** Runs one load of a thread at a time; a newer one replaces it. -> the page; undefined if it was replaced or the thread was dropped */
const loadOnce = async (id: string, thread: Thread, place: Place, limit: number): Promise<ThreadPage | undefined> => {
  const load = {};
  loads.set(thread, load);
  const isCurrent = (): boolean => loads.get(thread) === load && knownThread(id) === thread;
  try {
    const page = await read(id, place, limit);
    return isCurrent() ? page : undefined;
  } catch (error) {
    if (!isCurrent()) return undefined;
    throw error;
  }
};

/** Loads the newest messages, or those around one if it exists, in place of what the thread has. */
export const loadThread = async (id: string, thread: Thread, around?: string): Promise<void> => {
  thread.update((state) => ({
    ...loadingEnd(state, "newer"),
    phase: state.messages.length > 0 ? state.phase : "loading",
    isAtEnd: around === undefined,
  }));
  try {
    const page = await loadOnce(id, thread, around === undefined ? {} : { around }, VALUES.threadPageSize);
    if (page) thread.update((state) => withLoaded(state, windowOf(page)));
  } catch (error) {
    if (around !== undefined && isProblemError(error, "MESSAGE_NOT_FOUND")) return loadThread(id, thread);
    thread.update((state) => ({ ...settled(state), phase: "failed", error }));
  }
};

/** Loads messages beyond an end of the thread. Does nothing while an end is being loaded. */
export const extendThread = async (id: string, thread: Thread, end: "older" | "newer"): Promise<void> => {
  const { phase, extending, hasOlder, hasNewer, hasGap, messages } = thread.get();
  const anchor = end === "older" ? messages.at(0) : messages.at(-1);
  if (phase !== "ready" || extending || !(end === "older" ? hasOlder : hasNewer || hasGap)) return;
  if (!anchor) return loadThread(id, thread);
  thread.update((state) => loadingEnd(state, end));
  const place = end === "older" ? { before: anchor.id } : { after: anchor.id };
  try {
    const page = await loadOnce(id, thread, place, EXTENSION_SIZE);
    if (!page) return;
    thread.update((state) =>
      end === "older" ? { ...settled(state), ...withOlder(state, page) } : withLoaded(state, withNewer(state, page)),
    );
  } catch (error) {
    // The message beside which the page is was erased meanwhile.
    if (isProblemError(error, "MESSAGE_NOT_FOUND")) return loadThread(id, thread);
    thread.update((state) => ({
      ...settled(state),
      failedEnd: end,
      hasGap: state.hasGap || end === "newer",
    }));
  }
};
