import type { Agent, Channel, Conversation, FrontConversation, Message, ServiceEvent, User } from "@parley/contract";
import type { ConversationSource } from "./conversation-source.ts";
import { createRecentConversations } from "./recent-conversations.ts";
import { ServiceRefused, type ServiceCall } from "./service.ts";

/** Cache lifetime of lists that seldom change. @units milliseconds */
const LIST_AGE = 60_000;
/** Cache lifetime of an open conversation without events, because events may be delayed. @units milliseconds */
const OPEN_AGE = 60_000;
/** Number of users whose conversations are loaded initially; each costs two requests. */
const FIRST_USERS = 10;
const LATEST_MESSAGES = 50;
const ALL_TIME = "1970-01-01T00:00:00.000Z";

/** Caches a result for a time; a failure is not cached. */
const kept = <A>(age: number, ask: () => Promise<A>) => {
  let last: { readonly at: number; readonly answer: Promise<A> } | undefined;
  return (): Promise<A> => {
    if (last && performance.now() - last.at < age) return last.answer;
    const answer = ask();
    last = { at: performance.now(), answer };
    answer.catch(() => void (last = undefined));
    return answer;
  };
};

/** -> undefined if the object is not found */
const found = async <A>(asked: Promise<A>): Promise<A | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceRefused && error.status === 404) return undefined;
    throw error;
  }
};

/** Encodes a URL path segment. A lone surrogate, which UTF-8 can't encode, becomes the replacement character. */
const at = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

/** Conversations of a live account. @shape hear: receives each event of the service, whether or not the app subscribes to it */
type LiveConversations = ConversationSource & { readonly hear: (event: ServiceEvent) => void };

/**
 * Lists conversations known from events, after an initial request for the newest users. A conversation is loaded again after an event.
 * @assumed Conversations of users before the ten newest ones are listed from their next event on, because no endpoint lists
 * conversations.
 */
export const createLiveConversations = (call: ServiceCall, account: string): LiveConversations => {
  const heard = createRecentConversations(account);
  const opened = new Map<string, { at: number; revision: number; answer: Promise<FrontConversation | undefined> }>();

  const people = new Map<string, () => Promise<User | undefined>>();
  const userOf = (id: string) => {
    if (people.size > FIRST_USERS) people.clear();
    const ask = people.get(id) ?? kept(LIST_AGE, () => found(call<User>("GET", `/users/${at(id)}`)));
    people.set(id, ask);
    return ask();
  };

  const agents = kept(LIST_AGE, async () => {
    const page = await call<{ agents: Agent[] }>("GET", "/agents?is_deactivated=false&items_per_page=100");
    return page.agents.filter(({ is_deleted, is_deactivated }) => !is_deleted && !is_deactivated);
  });
  const channels = kept(
    LIST_AGE,
    async () => (await call<{ channels: Channel[] }>("GET", "/channels?items_per_page=100")).channels,
  );
  const topicOf = async ({ channel_id }: Conversation) =>
    (await channels()).find(({ id }) => id === channel_id)?.name ?? "";
  const conversationOf = (id: string) => found(call<Conversation>("GET", `/conversations/${at(id)}`));

  const firstLook = kept(Number.POSITIVE_INFINITY, async () => {
    const query = `created_from=${at(ALL_TIME)}&sort_by=created_time&sort_order=desc&items_per_page=${FIRST_USERS}`;
    const { users } = await call<{ users: User[] }>("GET", `/users?${query}`);
    await Promise.all(
      users.map(async (user) => {
        const own = await found(
          call<{ conversations: { id: string }[] }>("GET", `/users/${at(user.id)}/conversations`),
        );
        const latest = own?.conversations[0]?.id;
        const conversation = latest === undefined || heard.has(latest) ? undefined : await conversationOf(latest);
        if (conversation) heard.learn(conversation, user, await topicOf(conversation));
      }),
    );
  });

  const read = async (id: string): Promise<FrontConversation | undefined> => {
    const conversation = await conversationOf(id);
    if (!conversation) {
      heard.forget(id);
      return undefined;
    }
    const [{ messages }, user, topic, known] = await Promise.all([
      call<{ messages: Message[] }>("GET", `/conversations/${at(id)}/messages?items_per_page=${LATEST_MESSAGES}`),
      userOf(conversation.user_id),
      topicOf(conversation),
      agents(),
    ]);
    const told = messages.toReversed();
    heard.learn(conversation, user, topic, told);
    const involved = new Set([conversation.assigned_agent_id, ...messages.map(({ actor_id }) => actor_id)]);
    return {
      conversation,
      messages: told,
      user,
      agents: known.filter((agent) => involved.has(agent.id)),
      topic,
    };
  };

  return {
    live: true,
    hear(event) {
      if (event.data.user) people.delete(event.data.user.id);
      heard.hear(event);
    },
    async recent() {
      await firstLook();
      return heard.list();
    },
    open(id) {
      const last = opened.get(id);
      const revision = heard.revisionOf(id);
      if (last?.revision === revision && performance.now() - last.at < OPEN_AGE) return last.answer;
      const answer = read(id);
      opened.clear();
      opened.set(id, { at: performance.now(), revision, answer });
      answer.catch(() => opened.delete(id));
      return answer;
    },
    agents,
    async send({ conversation, agent, text, private: isPrivate = false }) {
      await call("POST", `/conversations/${at(conversation)}/messages`, {
        message_parts: [{ text: { content: text } }],
        actor_type: "agent",
        actor_id: agent,
        message_type: isPrivate ? "private" : "normal",
      });
      opened.delete(conversation);
    },
    async change({ conversation, status, assign }) {
      await call("PUT", `/conversations/${at(conversation)}`, {
        ...(status === undefined ? {} : { status }),
        ...(assign === undefined ? {} : { assigned_agent_id: assign }),
      });
      opened.delete(conversation);
    },
  };
};
