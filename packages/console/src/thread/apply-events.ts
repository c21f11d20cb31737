import type { Message } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import type { LiveItem } from "../live/live-messages.ts";
import { loadThread } from "./thread-loading.ts";
import { knownThread, knownThreads, withEvents, withGap } from "./thread-store.ts";

/** -> the new messages of the events, by the ids of their conversations, in order */
export const messagesIn = (items: readonly LiveItem[]): ReadonlyMap<string, readonly Message[]> => {
  const found = new Map<string, Message[]>();
  for (const item of items) {
    if (item.event !== "message_create" && item.event !== "conversation_create") continue;
    const about = item.data.data.message ?? item.data.data.conversation;
    if (!about?.messages) continue;
    const known = found.get(about.conversation_id);
    if (known) known.push(...about.messages);
    else found.set(about.conversation_id, [...about.messages]);
  }
  return found;
};

/** Events were not received: threads read what they miss. The messages that the agent reads stay in place. */
export const reloadThreads = (): void => {
  for (const [id, thread] of knownThreads()) {
    if (thread.get().phase === "failed") void loadThread(id, thread);
    else thread.update(withGap);
  }
};

/** Contents of these conversations were erased: their threads are read anew. */
export const rereadThreads = (conversationIds: Iterable<string>): void => {
  for (const id of conversationIds) {
    const thread = knownThread(id);
    if (thread) void loadThread(id, thread);
  }
};

/** Adds new messages to the threads that were read. */
export const applyToThreads = (_queries: QueryClient, items: readonly LiveItem[]): void => {
  // The events between were removed from the log.
  if (items.some(({ event }) => event === "reset")) reloadThreads();
  for (const [id, messages] of messagesIn(items)) knownThread(id)?.update((state) => withEvents(state, messages));
};
