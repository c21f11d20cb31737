import type {
  Agent,
  Channel,
  Conversation,
  ConversationChange,
  Csat,
  Field,
  Group,
  Message,
  MetricHistory,
  NewCsat,
  NewMessage,
  NewUser,
  User,
} from "@parley/contract";
import type { RequestMethod, RequestOptions } from "@parley/framework/sdk";
import { outsideRequests } from "./external-system.ts";
import { timeBudget, accountRequests, type Bounds, type Reply } from "./account-requests.ts";

export type { Reply } from "./account-requests.ts";

/** Page limit: enough for an account's groups and topics, and for a conversation of 2,000 messages. */
const PAGES_MAX = 40;

/** The members of a list response besides its items. */
interface Listed {
  readonly links?: { readonly next_page?: unknown };
}
const isLastOfList = ({ links }: Listed): boolean => !links?.next_page;

/** Templates of lists, each with the member that contains the items. */
const LISTS = { listGroups: "groups", listChannels: "channels", listAgents: "agents" } as const;

/**
 * The calls that Concierge makes: within limits from a handler, without limits from the installation page.
 * `once` identifies the object that a POST creates, so that a repeated request creates it once. @shape once: visible ASCII, at most 255
 * @errors Postponed when the account can't be called now
 */
export const createAccountClient = (request: RequestMethod, bounds?: Bounds) => {
  const budget = timeBudget(bounds?.milliseconds);
  const ask = accountRequests(request, bounds, budget);
  const tell = outsideRequests(request, budget);
  const page = async <T>(template: string, options: RequestOptions): Promise<T> => {
    const reply = await ask<T>(template, options);
    if (!reply.ok) throw new Error(`The request ${template} was refused with ${reply.status}.`);
    return reply.body;
  };
  async function* pages<T>(template: string, context: Record<string, string>, isLast: (body: T) => boolean) {
    for (let number = 1; number <= PAGES_MAX; number++) {
      const body = await page<T>(template, { context: { ...context, page: number } });
      yield body;
      if (isLast(body)) return;
    }
    throw new Error(`The request ${template} has more than ${PAGES_MAX} pages.`);
  }
  const list = async <T>(template: keyof typeof LISTS): Promise<T[]> => {
    const items: T[] = [];
    for await (const body of pages<Listed & Record<string, T[]>>(template, {}, isLastOfList))
      items.push(...(body[LISTS[template]] ?? []));
    return items;
  };
  const messages = (conversation_id: string) =>
    pages<{ messages: Message[]; link?: unknown }>("getMessages", { conversation_id }, ({ link }) => !link);

  return {
    groups: () => list<Group>("listGroups"),
    channels: () => list<Channel>("listChannels"),
    agents: () => list<Agent>("listAgents"),
    fields: () => page<Field[]>("listFields", {}),
    /** Whether the conversation contains a matching message. Searches from the newest to the oldest. */
    async hasMessage(conversation_id: string, isIt: (message: Message) => boolean): Promise<boolean> {
      for await (const body of messages(conversation_id)) if (body.messages.some(isIt)) return true;
      return false;
    },
    /** The newest messages, newest first: at most 50. */
    latestMessages: async (conversation_id: string): Promise<readonly Message[]> =>
      (await page<{ messages: Message[] }>("getMessages", { context: { conversation_id, page: 1 } })).messages,
    conversation: (conversation_id: string) => ask<Conversation>("getConversation", { context: { conversation_id } }),
    send: (conversation_id: string, message: NewMessage, once: string) =>
      ask<Message>("sendMessage", { context: { conversation_id, once }, body: JSON.stringify(message) }),
    change: (conversation_id: string, change: ConversationChange) =>
      ask<Conversation>("updateConversation", { context: { conversation_id }, body: JSON.stringify(change) }),
    user: (user_id: string) => ask<User>("getUser", { context: { user_id } }),
    /** Ids of the user's conversations. */
    conversationsOf: async (user_id: string): Promise<readonly string[]> => {
      const reply = await ask<{ conversations: { id: string }[] }>("getUserConversations", { context: { user_id } });
      return reply.ok ? reply.body.conversations.map(({ id }) => id) : [];
    },
    /** The first users that match a filter of the list, such as `{email: "ada@example.com"}`: at most two. */
    findUsers: async (filter: Readonly<Record<string, string>>): Promise<readonly User[]> =>
      (await page<{ users: User[] }>("findUsers", { query: filter })).users,
    createUser: (user: NewUser, once: string) =>
      ask<User>("createUser", { context: { once }, body: JSON.stringify(user) }),
    updateUser: (user_id: string, change: Partial<NewUser>) =>
      ask<unknown>("updateUser", { context: { user_id }, body: JSON.stringify(change) }),
    rate: (conversation_id: string, rating: NewCsat, once: string) =>
      ask<Csat>("createCsat", { context: { conversation_id, once }, body: JSON.stringify(rating) }),
    /** Sends a request to the host of outbound messages. */
    sendOutbound: (host: string, body: object, once: string) =>
      ask<{ request_id: string }>("sendOutbound", { context: { host, once }, body: JSON.stringify(body) }),
    metric: (query: Readonly<Record<string, string>>) => page<MetricHistory>("getMetric", { query }),
    /** Posts to the admin's own system. @shape path: without its leading slash */
    tellOutside: (to: { readonly host: string; readonly path: string; readonly id: string }, body: string) =>
      tell("tellOutside", { context: { ...to }, body }),
  };
};
export type AccountClient = ReturnType<typeof createAccountClient>;
export type AccountReply<T> = Reply<T>;
