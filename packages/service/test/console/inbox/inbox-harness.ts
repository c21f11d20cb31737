import type {
  AgentScope,
  ConversationChange,
  InboxCounts,
  InboxItem,
  ListedConversation,
  NewMessage,
} from "@parley/contract";
import {
  sessionHarness,
  type BrowserSession,
  type SessionHarness,
} from "../../identity/authentication/session-harness.ts";
import type { ServiceHarnessOptions } from "../../service-harness.ts";

/** A page of the inbox. */
interface InboxPage {
  readonly conversations: readonly ListedConversation[];
  readonly next?: string;
  readonly total?: number;
}

/** An agent with its session. */
export interface InboxAgent {
  readonly id: string;
  readonly session: BrowserSession;
}

type Query = Readonly<Record<string, string | number | boolean>>;

/** What a test begins a conversation with. */
interface BegunConversation {
  readonly channel_id?: string;
  readonly user_id?: string;
  readonly properties?: Record<string, string | string[]>;
  readonly text?: string;
}

/** The service with agents who are signed in, and the inbox as they see it. */
export interface InboxHarness extends SessionHarness {
  readonly channels: readonly string[];
  readonly groups: readonly string[];
  /** Creates an agent with a scope, and signs it in. */
  agent(scope: AgentScope, groups?: readonly string[]): Promise<InboxAgent>;
  user(first_name?: string): Promise<string>;
  begin(more?: BegunConversation): Promise<string>;
  say(id: string, message: Partial<NewMessage>): Promise<void>;
  /** A message of the customer. */
  ask(id: string, text?: string): Promise<void>;
  /** A message of an agent. */
  answer(id: string, agent: InboxAgent, text?: string): Promise<void>;
  change(id: string, body: ConversationChange): Promise<void>;
  pageOf(agent: InboxAgent, query?: Query): Promise<InboxPage>;
  /** All conversations of a view, read page by page. */
  list(agent: InboxAgent, query?: Query): Promise<readonly string[]>;
  item(agent: InboxAgent, id: string): Promise<InboxItem>;
  counts(agent: InboxAgent): Promise<InboxCounts>;
  mark(agent: InboxAgent, id: string, is_read: boolean): Promise<number>;
}

export const inboxHarness = async (options: ServiceHarnessOptions = {}): Promise<InboxHarness> => {
  const s = await sessionHarness(options);
  const { client } = s;
  const channels = (await client.channels.listChannels()).channels.map(({ id }) => id);
  const groups = (await client.groups.listGroups()).groups.map(({ id }) => id);
  let agentCount = 0;
  const users = new Map<string, string>();
  const get = async <T>({ session }: InboxAgent, path: string): Promise<T> => {
    const { code, body } = await s.page<T>("GET", `/console/api${path}`, { session });
    if (code !== 200) throw new Error(`${path}: ${code} ${body.status}: ${body.message} ${s.logLines.at(-1)}`);
    return body;
  };
  const user = async (first_name = "Uma") => (await client.users.createUser({ body: { first_name } })).id;
  const say = async (id: string, message: Partial<NewMessage>) => {
    const message_parts = [{ text: { content: "Hi" } }];
    await client.messages.createMessage({
      params: { conversation_id: id },
      body: { actor_type: "bot", message_parts, ...message },
    });
  };
  const pageOf = (agent: InboxAgent, query: Query = {}) => {
    const entries = Object.entries(query).map(([name, value]) => [name, String(value)]);
    return get<InboxPage>(agent, `/conversations?${new URLSearchParams(entries)}`);
  };
  return {
    ...s,
    channels,
    groups,
    async agent(scope, members = []) {
      const email = `inbox-${(agentCount += 1)}@acme.example`;
      const { id } = await client.agents.createAgent({
        body: { email, role_id: "AGENT", groups: [...members], first_name: "Ida" },
      });
      const { code } = await s.adminRequest("PUT", `/admin/accounts/acme/agents/${id}`, { scope });
      if (code !== 200) throw new Error(`The scope of ${email} was not set: ${code}.`);
      return { id, session: await s.signIn(email) };
    },
    user,
    async begin({ channel_id = channels[0] ?? "", user_id, properties, text = "Hello" } = {}) {
      const id = user_id ?? (await user());
      const message_parts = [{ text: { content: text } }];
      const { conversation_id } = await client.conversations.createConversation({
        body: {
          channel_id,
          users: [{ id }],
          messages: [{ actor_type: "user", actor_id: id, message_parts }],
          ...(properties && { properties }),
        },
      });
      users.set(conversation_id, id);
      return conversation_id;
    },
    say,
    ask: (id, text = "And?") =>
      say(id, {
        actor_type: "user",
        actor_id: users.get(id) ?? "",
        message_parts: [{ text: { content: text } }],
      }),
    answer: (id, agent, text = "Yes.") =>
      say(id, { actor_type: "agent", actor_id: agent.id, message_parts: [{ text: { content: text } }] }),
    async change(id, body) {
      await client.conversations.updateConversation({ params: { conversation_id: id }, body });
    },
    pageOf,
    async list(agent, query = {}) {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const { conversations, next }: InboxPage = await pageOf(agent, { ...query, ...(cursor && { cursor }) });
        ids.push(...conversations.map(({ conversation_id }) => conversation_id));
        cursor = next;
      } while (cursor !== undefined);
      return ids;
    },
    item: (agent, id) => get<InboxItem>(agent, `/conversations/${id}`),
    counts: (agent) => get<InboxCounts>(agent, "/counts"),
    async mark({ session }, id, is_read) {
      const { code, body } = await s.page<{ unread: number }>("PUT", `/console/api/conversations/${id}/read`, {
        session,
        body: { is_read },
      });
      if (code !== 200) throw new Error(`mark ${id}: ${code} ${body.status}: ${body.message}`);
      return body.unread;
    },
  };
};
