import type { Agent, Channel, Conversation, FrontConversation, Message, ServiceEvent, User } from "@parley/contract";
import { type ConversationSource, personName, type RecentConversation } from "./conversation-source.ts";
import { ServiceRefused, type ServiceCall } from "./service.ts";

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
  list(): RecentConversation[];
}

const CONVERSATIONS_MAX = 50;
const PREVIEW_CHARACTERS_MAX = 120;

const textOf = (messages: readonly Message[] = []): string => {
  const parts = messages.at(-1)?.message_parts ?? [];
  return (parts.find(({ text }) => text)?.text?.content ?? "").slice(0, PREVIEW_CHARACTERS_MAX);
};

const createRecentConversations = (account: string): RecentConversations => {
  const cache = new Map<string, CachedConversation>();

  const save = (id: string, entry: CachedConversation) => {
    cache.set(id, entry);
    if (cache.size <= CONVERSATIONS_MAX) return;
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
          assignedAgentId: conversation.assigned_agent_id,
          assignedGroupId: conversation.assigned_group_id,
        }))
        .sort((one, other) => other.time.localeCompare(one.time)),
  };
};

/** Cache lifetime of lists that seldom change. @units milliseconds */
const LIST_MAX_AGE_MS = 60_000;
/** Lifetime of the list of conversations where not all events are received. Each load costs up to 21 requests. @units milliseconds */
const RECENT_MAX_AGE_MS = 300_000;
/** Cache lifetime of an open conversation without events, because events may be delayed. @units milliseconds */
const OPEN_MAX_AGE_MS = 60_000;
/** Number of users whose conversations are loaded initially; each costs two requests. */
const INITIAL_USERS_MAX = 10;
const MESSAGES_MAX = 50;
const ALL_TIME = "1970-01-01T00:00:00.000Z";

/** Caches a result for a time; a failure is not cached. */
const cached = <A>(maxAgeMs: number, load: () => Promise<A>) => {
  let cachedResult: { readonly at: number; readonly answer: Promise<A> } | undefined;
  return (): Promise<A> => {
    if (cachedResult && performance.now() - cachedResult.at < maxAgeMs) return cachedResult.answer;
    const answer = load();
    cachedResult = { at: performance.now(), answer };
    answer.catch(() => void (cachedResult = undefined));
    return answer;
  };
};

/** -> undefined if the object is not found */
const undefinedIfNotFound = async <A>(response: Promise<A>): Promise<A | undefined> => {
  try {
    return await response;
  } catch (error) {
    if (error instanceof ServiceRefused && error.status === 404) return undefined;
    throw error;
  }
};

/** Encodes a URL path segment. A lone surrogate, which UTF-8 can't encode, becomes the replacement character. */
const encodeSegment = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** Conversations of a live account. @shape receiveEvent: receives each event of the service, whether or not the app subscribes to it */
type LiveConversations = ConversationSource & { readonly receiveEvent: (event: ServiceEvent) => void };

/**
 * Lists conversations known from events, after an initial request for the newest users. A conversation is loaded again after an event.
 * @assumed Conversations of users before the ten newest conversations are listed from their next event on, because no endpoint lists
 * conversations.
 */
export const createLiveConversations = (
  call: ServiceCall,
  account: string,
  receivesAllEvents = true,
): LiveConversations => {
  const recentConversations = createRecentConversations(account);
  const openCache = new Map<string, { at: number; revision: number; answer: Promise<FrontConversation | undefined> }>();

  const userCache = new Map<string, () => Promise<User | undefined>>();
  const userOf = (id: string) => {
    if (userCache.size > INITIAL_USERS_MAX) userCache.clear();
    const load =
      userCache.get(id) ??
      cached(LIST_MAX_AGE_MS, () => undefinedIfNotFound(call<User>("GET", `/users/${encodeSegment(id)}`)));
    userCache.set(id, load);
    return load();
  };

  const agents = cached(LIST_MAX_AGE_MS, async () => {
    const page = await call<{ agents: Agent[] }>("GET", "/agents?is_deactivated=false&items_per_page=100");
    return page.agents.filter(({ is_deleted, is_deactivated }) => !is_deleted && !is_deactivated);
  });
  const channels = cached(
    LIST_MAX_AGE_MS,
    async () => (await call<{ channels: Channel[] }>("GET", "/channels?items_per_page=100")).channels,
  );
  const topicOf = async ({ channel_id }: Conversation) =>
    (await channels()).find(({ id }) => id === channel_id)?.name ?? "";
  const conversationOf = (id: string) =>
    undefinedIfNotFound(call<Conversation>("GET", `/conversations/${encodeSegment(id)}`));

  const loadRecent = cached(receivesAllEvents ? Number.POSITIVE_INFINITY : RECENT_MAX_AGE_MS, async () => {
    const query = `created_from=${encodeSegment(ALL_TIME)}&sort_by=created_time&sort_order=desc&items_per_page=${INITIAL_USERS_MAX}`;
    const { users } = await call<{ users: User[] }>("GET", `/users?${query}`);
    await Promise.all(
      users.map(async (user) => {
        const own = await undefinedIfNotFound(
          call<{ conversations: { id: string }[] }>("GET", `/users/${encodeSegment(user.id)}/conversations`),
        );
        const latest = own?.conversations[0]?.id;
        const isKnown = latest === undefined || (receivesAllEvents && recentConversations.has(latest));
        const conversation = isKnown ? undefined : await conversationOf(latest);
        if (conversation) recentConversations.addLoaded(conversation, user, await topicOf(conversation));
      }),
    );
  });

  const read = async (id: string): Promise<FrontConversation | undefined> => {
    const conversation = await conversationOf(id);
    if (!conversation) {
      recentConversations.remove(id);
      return undefined;
    }
    const [{ messages }, user, topic, activeAgents] = await Promise.all([
      call<{ messages: Message[] }>(
        "GET",
        `/conversations/${encodeSegment(id)}/messages?items_per_page=${MESSAGES_MAX}`,
      ),
      userOf(conversation.user_id),
      topicOf(conversation),
      agents(),
    ]);
    const chronological = messages.toReversed();
    recentConversations.addLoaded(conversation, user, topic, chronological);
    const involved = new Set([conversation.assigned_agent_id, ...messages.map(({ actor_id }) => actor_id)]);
    return {
      conversation,
      messages: chronological,
      user,
      agents: activeAgents.filter((agent) => involved.has(agent.id)),
      topic,
    };
  };

  return {
    receiveEvent(event) {
      if (event.data.user) userCache.delete(event.data.user.id);
      recentConversations.receiveEvent(event);
    },
    async recent() {
      await loadRecent();
      return recentConversations.list();
    },
    open(id) {
      const cachedResult = openCache.get(id);
      const revision = recentConversations.revisionOf(id);
      if (cachedResult?.revision === revision && performance.now() - cachedResult.at < OPEN_MAX_AGE_MS)
        return cachedResult.answer;
      const answer = read(id);
      openCache.clear();
      openCache.set(id, { at: performance.now(), revision, answer });
      answer.catch(() => openCache.delete(id));
      return answer;
    },
    agents,
    async send({ conversation, agent, text, private: isPrivate = false }) {
      await call("POST", `/conversations/${encodeSegment(conversation)}/messages`, {
        message_parts: [{ text: { content: text } }],
        actor_type: "agent",
        actor_id: agent,
        message_type: isPrivate ? "private" : "normal",
      });
      openCache.delete(conversation);
    },
    async change({ conversation, status, assign }) {
      await call("PUT", `/conversations/${encodeSegment(conversation)}`, {
        ...(status === undefined ? {} : { status }),
        ...(assign === undefined ? {} : { assigned_agent_id: assign }),
      });
      openCache.delete(conversation);
    },
  };
};
