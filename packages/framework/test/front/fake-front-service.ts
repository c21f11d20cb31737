import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Agent, Conversation, Message, User } from "@parley/contract";
import { KEY } from "../support/fake-account.ts";

/** The token with which the agent page reads and writes. */
export const AGENT_PAGE_TOKEN = "desk-token-Qe72";

const TIME = "2026-03-01T10:00:00.000Z";
const agent = (id: string, first_name: string): Agent => ({
  id,
  created_time: TIME,
  availability_status: "AVAILABLE",
  email: `${first_name.toLowerCase()}@example.com`,
  first_name,
  groups: [],
  is_deactivated: false,
  is_deleted: false,
  login_status: true,
  role_id: "r",
  role_name: "Agent",
});
const user = (id: string, first_name: string): User => ({
  id,
  created_time: TIME,
  updated_time: TIME,
  login_status: true,
  first_name,
  last_name: "Customer",
  email: `${first_name.toLowerCase()}@example.org`,
});

export interface FakeFrontService {
  readonly origin: string;
  /** `METHOD /path` of all requests with the agent page's token, oldest first. */
  readonly requests: string[];
  readonly conversations: Map<string, Conversation>;
  /** Messages by conversation id, oldest first. */
  readonly messages: Map<string, Message[]>;
  /** Creates a conversation of a user with one message. */
  createConversation(id: string, name: string, text: string): Conversation;
  /** Answers all further requests with this status; undefined restores the regular answers. */
  setFailure(status: number | undefined): void;
  close(): Promise<void>;
}

/** Fake of the service's HTTP API: the part that the agent page and an installation use. */
export const startFakeFrontService = async (): Promise<FakeFrontService> => {
  const requests: string[] = [];
  const users = new Map<string, User>();
  const conversations = new Map<string, Conversation>();
  const messages = new Map<string, Message[]>();
  const agents = [
    agent("agent-1", "Ada"),
    agent("agent-2", "Grace"),
    { ...agent("gone", "Gone"), is_deactivated: true },
  ];
  let failure: number | undefined;
  let count = 0;

  const message = (conversation_id: string, fields: Partial<Message>): Message => ({
    id: `message-${(count += 1)}`,
    created_time: new Date(Date.parse(TIME) + count * 60_000).toISOString(),
    app_id: "app",
    channel_id: "topic",
    conversation_id,
    interaction_id: "1-1",
    freshchat_conversation_id: "1",
    freshchat_channel_id: "2",
    actor_type: "user",
    message_type: "normal",
    message_parts: [],
    ...fields,
  });

  /** One row for each route: `[method, path pattern, handler]`. */
  const rows: [string, RegExp, (id: string, body: Record<string, unknown>) => [number, unknown]][] = [
    ["GET", /^\/v2\/accounts\/configuration$/, () => [200, { account_id: 7, datacenter: "EUC" }]],
    ["GET", /^\/v2\/groups$/, () => [200, { groups: [{ name: "Sales" }] }]],
    ["GET", /^\/v2\/agents$/, () => [200, { agents }]],
    ["GET", /^\/v2\/channels$/, () => [200, { channels: [{ id: "topic", name: "Orders" }] }]],
    ["GET", /^\/v2\/users$/, () => [200, { users: [...users.values()] }]],
    ["GET", /^\/v2\/users\/([^/]+)$/, (id) => (users.has(id) ? [200, users.get(id)] : [404, {}])],
    [
      "GET",
      /^\/v2\/users\/([^/]+)\/conversations$/,
      (id) => [
        200,
        {
          conversations: [...conversations.values()]
            .filter(({ user_id }) => user_id === id)
            .map(({ conversation_id }) => ({ id: conversation_id })),
        },
      ],
    ],
    [
      "GET",
      /^\/v2\/conversations\/([^/]+)$/,
      (id) => (conversations.has(id) ? [200, conversations.get(id)] : [404, {}]),
    ],
    [
      "GET",
      /^\/v2\/conversations\/([^/]+)\/messages$/,
      (id) => [200, { messages: (messages.get(id) ?? []).toReversed() }],
    ],
    [
      "POST",
      /^\/v2\/conversations\/([^/]+)\/messages$/,
      (id, body) => {
        const sent = message(id, body);
        messages.get(id)?.push(sent);
        return [200, sent];
      },
    ],
    [
      "PUT",
      /^\/v2\/conversations\/([^/]+)$/,
      (id, body) => {
        const before = conversations.get(id);
        if (!before) return [404, {}];
        if (body["status"] === "resolved" && before.properties?.["priority"] === undefined)
          return [400, { message: "The property 'priority' has no value." }];
        const changed: Conversation = { ...before, ...body };
        conversations.set(id, changed);
        return [200, changed];
      },
    ],
  ];

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://service");
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const token = request.headers.authorization?.replace(/^Bearer /, "");
    if (token !== KEY && token !== AGENT_PAGE_TOKEN) return reply(401, { message: "no" });
    if (token === AGENT_PAGE_TOKEN) requests.push(`${request.method} ${url.pathname}`);
    if (failure !== undefined) return reply(failure, { message: `The service is out of order (${failure}).` });
    for (const [method, pattern, row] of rows) {
      const match = request.method === method ? pattern.exec(url.pathname) : null;
      if (!match) continue;
      const body = chunks.length > 0 ? (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>) : {};
      return reply(...row(decodeURIComponent(match[1] ?? ""), body));
    }
    return reply(404, {});
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    conversations,
    messages,
    createConversation(id, name, text) {
      const customer = user(`user-of-${id}`, name);
      users.set(customer.id, customer);
      const conversation: Conversation = {
        conversation_id: id,
        conversation_internal_id: 1,
        freshchat_conversation_id: "1",
        channel_id: "topic",
        app_id: "app",
        status: "new",
        user_id: customer.id,
        url: `https://acme.parley.localhost/conversations/${id}`,
        created_time: TIME,
        updated_time: TIME,
      };
      conversations.set(id, conversation);
      messages.set(id, [message(id, { actor_id: customer.id, message_parts: [{ text: { content: text } }] })]);
      return conversation;
    },
    setFailure: (status) => void (failure = status),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
