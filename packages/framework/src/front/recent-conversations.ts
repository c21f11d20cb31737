import type { Conversation, FrontSummary, Message, ServiceEvent, User } from "@parley/contract";
import { personName } from "./conversation-source.ts";

/** Cached data of a conversation. */
interface CachedConversation {
  readonly conversation: Conversation;
  readonly name: string;
  readonly topic: string;
  readonly text: string;
  readonly time: string;
  /** Number of events received for the conversation. */
  readonly revision: number;
}

/** Conversations with recent events, so that listing them needs no request. */
interface RecentConversations {
  receiveEvent(event: ServiceEvent): void;
  /** Stores loaded data; data from events is newer and is kept. */
  addLoaded(conversation: Conversation, user: User | undefined, topic: string, messages?: readonly Message[]): void;
  remove(id: string): void;
  has(id: string): boolean;
  revisionOf(id: string): number;
  /** Newest first. */
  list(): FrontSummary[];
}

const maxConversations = 50;
const previewCharactersMax = 120;

const textOf = (messages: readonly Message[] = []): string => {
  const parts = messages.at(-1)?.message_parts ?? [];
  return (parts.find(({ text }) => text)?.text?.content ?? "").slice(0, previewCharactersMax);
};

export const createRecentConversations = (account: string): RecentConversations => {
  const cache = new Map<string, CachedConversation>();

  const save = (id: string, entry: CachedConversation) => {
    cache.set(id, entry);
    if (cache.size <= maxConversations) return;
    const [oldest] = [...cache].sort(([, one], [, other]) => one.time.localeCompare(other.time));
    if (oldest) cache.delete(oldest[0]);
  };

  return {
    receiveEvent(event) {
      const eventConversation = event.data.conversation ?? event.data.message;
      if (event.account !== account || typeof eventConversation?.conversation_id !== "string") return;
      const id = eventConversation.conversation_id;
      const previous = cache.get(id);
      const { user, channel } = event.data.associations;
      const { messages, ...conversation } = eventConversation;
      save(id, {
        conversation: { ...previous?.conversation, ...conversation },
        name: user ? personName(user) : (previous?.name ?? ""),
        topic: channel?.name ?? previous?.topic ?? "",
        text: textOf(messages) || (previous?.text ?? ""),
        time: messages?.at(-1)?.created_time ?? eventConversation.updated_time ?? previous?.time ?? "",
        revision: (previous?.revision ?? 0) + 1,
      });
    },
    addLoaded(conversation, user, topic, messages) {
      const id = conversation.conversation_id;
      const previous = cache.get(id);
      save(id, {
        conversation,
        name: user ? personName(user) : (previous?.name ?? ""),
        topic: topic || (previous?.topic ?? ""),
        text: textOf(messages) || (previous?.text ?? ""),
        time: messages?.at(-1)?.created_time ?? previous?.time ?? conversation.updated_time,
        revision: previous?.revision ?? 0,
      });
    },
    remove: (id) => void cache.delete(id),
    has: (id) => cache.has(id),
    revisionOf: (id) => cache.get(id)?.revision ?? 0,
    list: () =>
      [...cache]
        .map(([id, { conversation, name, topic, text, time }]) => ({
          id,
          status: conversation.status,
          name,
          topic,
          text,
          time,
        }))
        .sort((one, other) => other.time.localeCompare(one.time)),
  };
};
