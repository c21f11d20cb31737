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
import { externalSystemRequests } from "./external-system.ts";
import { createTimeBudget, accountRequests, type RequestLimits } from "./account-requests.ts";

/** Page limit: enough for an account's groups and topics, and for a conversation of 2,000 messages. */
const PAGES_MAX = 40;

/** The members of a list response besides its items. */
interface ListResponse {
  readonly links?: { readonly next_page?: unknown };
}
const isLastPage = ({ links }: ListResponse): boolean => !links?.next_page;

/** Templates of lists, each with the member that contains the items. */
const LISTS = { listGroups: "groups", listChannels: "channels", listAgents: "agents" } as const;

/**
 * Client of the account's API: with limits for a handler, without limits for the installation page.
 * `once` identifies the object that a POST creates, so that a repeated request creates it once. @shape once: visible ASCII, at most 255
 * @errors PostponedError when the account can't be called now
 */
export const createAccountClient = (request: RequestMethod, bounds?: RequestLimits) => {
  const budget = createTimeBudget(bounds?.milliseconds);
  const send = accountRequests(request, bounds, budget);
  const post = externalSystemRequests(request, budget);
  const requestBody = async <T>(template: string, options: RequestOptions): Promise<T> => {
    const reply = await send<T>(template, options);
    if (!reply.ok) throw new Error(`The request ${template} was refused with ${reply.status}.`);
    return reply.body;
  };
  async function* pages<T>(template: string, context: Record<string, string>, isLast: (body: T) => boolean) {
    for (let number = 1; number <= PAGES_MAX; number++) {
      const body = await requestBody<T>(template, { context: { ...context, page: number } });
      yield body;
      if (isLast(body)) return;
    }
    throw new Error(`The request ${template} has more than ${PAGES_MAX} pages.`);
  }
  const list = async <T>(template: keyof typeof LISTS): Promise<T[]> => {
    const items: T[] = [];
    for await (const body of pages<ListResponse & Record<string, T[]>>(template, {}, isLastPage))
      items.push(...(body[LISTS[template]] ?? []));
    return items;
  };
  const messages = (conversation_id: string) =>
    pages<{ messages: Message[]; link?: unknown }>("getMessages", { conversation_id }, ({ link }) => !link);

  return {
    groups: () => list<Group>("listGroups"),
    channels: () => list<Channel>("listChannels"),
    agents: () => list<Agent>("listAgents"),
    fields: () => requestBody<Field[]>("listFields", {}),
    /** Whether the conversation contains a matching message. Searches from the newest to the oldest. */
    async hasMessage(conversation_id: string, matches: (message: Message) => boolean): Promise<boolean> {
      for await (const body of messages(conversation_id)) if (body.messages.some(matches)) return true;
      return false;
    },
    /** The newest messages, newest first: at most 50. */
    latestMessages: async (conversation_id: string): Promise<readonly Message[]> =>
      (await requestBody<{ messages: Message[] }>("getMessages", { context: { conversation_id, page: 1 } })).messages,
    conversation: (conversation_id: string) => send<Conversation>("getConversation", { context: { conversation_id } }),
    send: (conversation_id: string, message: NewMessage, once: string) =>
      send<Message>("sendMessage", { context: { conversation_id, once }, body: JSON.stringify(message) }),
    change: (conversation_id: string, change: ConversationChange) =>
      send<Conversation>("updateConversation", { context: { conversation_id }, body: JSON.stringify(change) }),
    user: (user_id: string) => send<User>("getUser", { context: { user_id } }),
    /** Ids of the user's conversations. */
    conversationsOf: async (user_id: string): Promise<readonly string[]> => {
      const reply = await send<{ conversations: { id: string }[] }>("getUserConversations", { context: { user_id } });
      return reply.ok ? reply.body.conversations.map(({ id }) => id) : [];
    },
    /** The first users that match a filter of the list, such as `{email: "ada@example.com"}`: at most two. */
    findUsers: async (filter: Readonly<Record<string, string>>): Promise<readonly User[]> =>
      (await requestBody<{ users: User[] }>("findUsers", { query: filter })).users,
    createUser: (user: NewUser, once: string) =>
      send<User>("createUser", { context: { once }, body: JSON.stringify(user) }),
    updateUser: (user_id: string, change: Partial<NewUser>) =>
      send<unknown>("updateUser", { context: { user_id }, body: JSON.stringify(change) }),
    rate: (conversation_id: string, rating: NewCsat, once: string) =>
      send<Csat>("createCsat", { context: { conversation_id, once }, body: JSON.stringify(rating) }),
    /** Sends a request to the host of outbound messages. */
    sendOutbound: (host: string, body: object, once: string) =>
      send<{ request_id: string }>("sendOutbound", { context: { host, once }, body: JSON.stringify(body) }),
    metric: (query: Readonly<Record<string, string>>) => requestBody<MetricHistory>("getMetric", { query }),
    /** Posts to the admin's own system. @shape path: without its leading slash */
    postToExternalSystem: (to: { readonly host: string; readonly path: string; readonly id: string }, body: string) =>
      post("postToExternalSystem", { context: { ...to }, body }),
  };
};
export type AccountClient = ReturnType<typeof createAccountClient>;
