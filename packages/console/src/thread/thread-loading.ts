import { isProblemError } from "@parley/client/session";
import { client } from "../session/session.ts";
import { VALUES } from "../contract-values.ts";
import { knownThread, type Thread, type ThreadState } from "./thread-store.ts";
import { windowOf, withNewer, withOlder, type ThreadPage, type ThreadWindow } from "./thread-window.ts";

/** Messages of a page that extends a thread. */
const EXTENSION_SIZE = 2 * VALUES.threadPageSize;

type Place = { readonly before?: string; readonly after?: string; readonly around?: string };

const read = (conversationId: string, place: Place, limit: number): Promise<ThreadPage> =>
  client.threads.listThread({ params: { conversation_id: conversationId }, query: { ...place, limit } });

/** Members of a thread that is not being loaded. */
const settled = ({ extending: _extending, failedEnd: _failed, error: _error, ...state }: ThreadState): ThreadState => ({
  ...state,
  missed: false,
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

/** Messages that arrived meanwhile may lie beyond the page: then its end is not the end of the conversation. */
const settledWith = (state: ThreadState, window: ThreadWindow): ThreadState => ({
  ...settled(state),
  ...window,
  hasNewer: window.hasNewer || state.missed,
  phase: "ready",
});

/** Loads the newest messages, or those around one if it exists, in place of what the thread has. */
export const loadThread = async (id: string, thread: Thread, around?: string): Promise<void> => {
  thread.update((state) => ({
    ...settled(state),
    phase: state.messages.length > 0 ? state.phase : "loading",
    extending: "newer",
    isAtEnd: around === undefined,
  }));
  try {
    const page = await loadOnce(id, thread, around === undefined ? {} : { around }, VALUES.threadPageSize);
    if (page) thread.update((state) => settledWith(state, windowOf(page)));
  } catch (error) {
    if (around !== undefined && isProblemError(error, "MESSAGE_NOT_FOUND")) return loadThread(id, thread);
    thread.update((state) => ({ ...settled(state), phase: "failed", error }));
  }
};

/** Loads messages beyond an end of the thread. Does nothing while an end is being loaded. */
export const extendThread = async (id: string, thread: Thread, end: "older" | "newer"): Promise<void> => {
  const { phase, extending, hasOlder, hasNewer, messages } = thread.get();
  const anchor = end === "older" ? messages.at(0) : messages.at(-1);
  if (phase !== "ready" || extending || !(end === "older" ? hasOlder : hasNewer)) return;
  if (!anchor) return loadThread(id, thread);
  thread.update((state) => ({ ...settled(state), extending: end }));
  const place = end === "older" ? { before: anchor.id } : { after: anchor.id };
  try {
    const page = await loadOnce(id, thread, place, EXTENSION_SIZE);
    if (!page) return;
    thread.update((state) =>
      end === "older" ? { ...settled(state), ...withOlder(state, page) } : settledWith(state, withNewer(state, page)),
    );
  } catch (error) {
    // The message beside which the page is was erased meanwhile.
    if (isProblemError(error, "MESSAGE_NOT_FOUND")) return loadThread(id, thread);
    thread.update((state) => ({ ...settled(state), failedEnd: end }));
  }
};
