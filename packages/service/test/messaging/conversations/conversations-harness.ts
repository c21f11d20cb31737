import { expect } from "@jest/globals";
import { isProblemError, type ParleyClient } from "@parley/client";
import type {
  Agent,
  Channel,
  Conversation,
  CreatedConversation,
  Message,
  NewConversation,
  NewMessage,
  User,
} from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness, type ServiceHarnessOptions } from "../../service-harness.ts";

/** A row of the event log. */
interface LoggedEvent {
  readonly kind: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly user_revision: number;
  readonly conversation_revision: number;
  readonly message_id: string | null;
  readonly changes: string | null;
}

const LOGGED_EVENTS = statement(
  "",
  `select kind, actor_type, actor_id, user_revision, conversation_revision, message_id, changes
   from outbox where entity_id = $1 order by seq`,
);

/** A test instance with the names of its demo account. */
export interface ConversationsHarness extends ServiceHarness {
  readonly channel: Channel;
  agentNamed(firstName: string): Agent;
  groupIdOf(name: string): string;
  createUser(): Promise<User>;
  /** Creates a user and a conversation that starts with the user's message "Hi". */
  createConversation(more?: Partial<NewConversation>): Promise<CreatedConversation>;
  getConversation(id: string): Promise<Conversation>;
  updateConversation(
    id: string,
    body: Parameters<ParleyClient["conversations"]["updateConversation"]>[0]["body"],
  ): Promise<Conversation>;
  createMessage(id: string, body: Partial<NewMessage>): Promise<Message>;
  /** Returns all messages, oldest first. */
  listMessages(id: string): Promise<Message[]>;
  /** Returns the events of one conversation. */
  loggedEvents(id: string): Promise<LoggedEvent[]>;
}

export const textParts = (content: string) => [{ text: { content } }];

export async function conversationsHarness(options?: ServiceHarnessOptions): Promise<ConversationsHarness> {
  const w = await serviceHarness(options);
  const { client } = w;
  const { agents } = await client.agents.listAgents({ query: { items_per_page: 100 } });
  const { groups } = await client.groups.listGroups();
  const { channels } = await client.channels.listChannels();
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const found = <T>(rows: readonly T[], is: (row: T) => boolean): T => {
    const row = rows.find(is);
    if (!row) throw new Error("the demo account has no such object");
    return row;
  };
  const channel = found(channels, () => true);
  const createUser = () => client.users.createUser({ body: { first_name: "Uma" } });
  return {
    ...w,
    channel,
    createUser,
    agentNamed: (firstName) => found(agents, ({ first_name }) => first_name === firstName),
    groupIdOf: (name) => found(groups, (group) => group.name === name).id,
    async createConversation(more) {
      const { id } = await createUser();
      return client.conversations.createConversation({
        body: {
          channel_id: channel.id,
          users: [{ id }],
          messages: [{ actor_type: "user", actor_id: id, message_parts: textParts("Hi") }],
          ...more,
        },
      });
    },
    getConversation: (conversation_id) => client.conversations.getConversation({ params: { conversation_id } }),
    updateConversation: (conversation_id, body) =>
      client.conversations.updateConversation({ params: { conversation_id }, body }),
    createMessage: (conversation_id, body) =>
      client.messages.createMessage({
        params: { conversation_id },
        body: { actor_type: "bot", message_parts: textParts("Hello"), ...body },
      }),
    async listMessages(conversation_id) {
      const all: Message[] = [];
      for await (const message of client.messages.listMessages.items({
        params: { conversation_id },
        query: { items_per_page: 50 },
      }))
        all.push(message);
      return all.reverse();
    },
    loggedEvents: (id) => pool.rows<LoggedEvent>(LOGGED_EVENTS, [id]),
  };
}

/** Waits for the refusal of a call. -> its token */
export const refusalToken = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
  } catch (error) {
    if (isProblemError(error)) return error.problem.status;
    throw error;
  }
  return "no refusal";
};

/** Waits for the refusal of a message. -> its token; the body must also have the members for message refusals. @spec Errors */
export const messageRefusalToken = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
  } catch (error) {
    if (!isProblemError(error)) throw error;
    const { code, status, message, ...more } = error.problem;
    expect(more).toEqual({
      error_code: code,
      error_message: message,
      error_category: expect.stringMatching(/^(USER|MESSAGE|COMMON)$/),
    });
    return status;
  }
  return "no refusal";
};

export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
