import type { Conversation, FrontSummary, Message, ServiceEvent, User } from "@parley/contract";
import { personName } from "./conversation-source.ts";

/** Cached data of a conversation. */
interface Known {
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
  hear(event: ServiceEvent): void;
  /** Stores loaded data; data from events is newer and is kept. */
  learn(conversation: Conversation, user: User | undefined, topic: string, messages?: readonly Message[]): void;
  forget(id: string): void;
  has(id: string): boolean;
  revisionOf(id: string): number;
  /** Newest first. */
  list(): FrontSummary[];
}

const maxConversations = 50;
const TEXT_CHARACTERS = 120;

const textOf = (messages: readonly Message[] = []): string => {
  const parts = messages.at(-1)?.message_parts ?? [];
  return (parts.find(({ text }) => text)?.text?.content ?? "").slice(0, TEXT_CHARACTERS);
};

export const createRecentConversations = (account: string): RecentConversations => {
  const known = new Map<string, Known>();

  const keep = (id: string, entry: Known) => {
    known.set(id, entry);
    if (known.size <= maxConversations) return;
    const [oldest] = [...known].sort(([, one], [, other]) => one.time.localeCompare(other.time));
    if (oldest) known.delete(oldest[0]);
  };

  return {
    hear(event) {
      const told = event.data.conversation ?? event.data.message;
      if (event.account !== account || typeof told?.conversation_id !== "string") return;
      const id = told.conversation_id;
      const before = known.get(id);
      const { user, channel } = event.data.associations;
      const { messages, ...conversation } = told;
      keep(id, {
        conversation: { ...before?.conversation, ...conversation },
        name: user ? personName(user) : (before?.name ?? ""),
        topic: channel?.name ?? before?.topic ?? "",
        text: textOf(messages) || (before?.text ?? ""),
        time: messages?.at(-1)?.created_time ?? told.updated_time ?? before?.time ?? "",
        revision: (before?.revision ?? 0) + 1,
      });
    },
    learn(conversation, user, topic, messages) {
      const id = conversation.conversation_id;
      const before = known.get(id);
      keep(id, {
        conversation,
        name: user ? personName(user) : (before?.name ?? ""),
        topic: topic || (before?.topic ?? ""),
        text: textOf(messages) || (before?.text ?? ""),
        time: messages?.at(-1)?.created_time ?? before?.time ?? conversation.updated_time,
        revision: before?.revision ?? 0,
      });
    },
    forget: (id) => void known.delete(id),
    has: (id) => known.has(id),
    revisionOf: (id) => known.get(id)?.revision ?? 0,
    list: () =>
      [...known]
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
