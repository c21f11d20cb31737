import {
  messengerConversations,
  routeOf,
  type Endpoint,
  type MessengerConversation,
  type MessengerMessage,
  type VisitorSession,
} from "@parley/contract";
import type { ServiceHarnessOptions } from "../service-harness.ts";
import { messengerHarness, type MessengerHarness, type MessengerResponse } from "./messenger-harness.ts";

/** A visitor of the demo account acme with a session. */
export interface TestVisitor {
  readonly userId: string;
  readonly token: string;
  readonly externalId: string;
  readonly restoreId: string;
}

interface VisitorRequest {
  readonly params?: Readonly<Record<string, string>>;
  /** A text is sent as it is. */
  readonly query?: Readonly<Record<string, string | number>> | string;
  /** JSON, or a form. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface BegunConversation {
  readonly conversation: MessengerConversation;
  readonly messages: readonly MessengerMessage[];
}

/** The messenger, and what visitors do in their conversations. */
export interface ConversationHarness extends Omit<MessengerHarness, "visitor"> {
  /** A new visitor, who is identified by an external id. */
  visitor(first_name?: string): Promise<TestVisitor>;
  /** A further session of a visitor. */
  session(visitor: TestVisitor): Promise<TestVisitor>;
  /** Sends a request of a contract row. */
  ask<T = object>(
    visitor: Pick<TestVisitor, "token">,
    row: Endpoint,
    request?: VisitorRequest,
  ): Promise<MessengerResponse<T>>;
  /** A conversation of the visitor with one message. */
  begin(visitor: TestVisitor, text?: string): Promise<BegunConversation>;
  /** As if an agent had blocked the visitor. */
  block(visitor: TestVisitor): Promise<void>;
}

/** A message with one text part. */
export const textMessage = (content: string) => ({ message_parts: [{ text: { content } }] });

const { beginMessengerConversation } = messengerConversations;

export async function conversationHarness(options?: ServiceHarnessOptions): Promise<ConversationHarness> {
  const s = await messengerHarness(options);
  let visitors = 0;
  const visitorOf = ({ token, visitor }: VisitorSession): TestVisitor => ({
    userId: visitor.user_id,
    token,
    externalId: visitor.external_id ?? "",
    restoreId: visitor.restore_id,
  });
  const ask: ConversationHarness["ask"] = async <T>(
    { token }: Pick<TestVisitor, "token">,
    row: Endpoint,
    { params = {}, query, body, headers }: VisitorRequest = {},
  ) => {
    const { method, path } = routeOf(row);
    const place = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
    const texts = Object.entries(query ?? {}).map(([name, value]) => [name, String(value)] as [string, string]);
    const search = typeof query === "string" ? query : new URLSearchParams(texts).toString();
    const isForm = body instanceof FormData;
    const response = await fetch(`${s.url}${place}?${search}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      code: response.status,
      headers: response.headers,
      body: (text === "" ? {} : JSON.parse(text)) as MessengerResponse<T>["body"],
    };
  };
  return {
    ...s,
    visitor: async (first_name = "Visitor") =>
      visitorOf(await s.visitor({ external_id: `customer ${visitors++}`, profile: { first_name } })),
    async session({ externalId, restoreId }) {
      const { code, body } = await s.request<VisitorSession>("POST", "/sessions/restore", {
        body: { account: "acme", external_id: externalId, restore_id: restoreId },
      });
      if (code !== 201) throw new Error(`${code} ${body.status}: ${body.message}`);
      return visitorOf(body);
    },
    ask,
    async begin(visitor, text = "Hello") {
      const { code, body } = await ask<BegunConversation>(visitor, beginMessengerConversation, {
        body: { topic_id: s.channels[0]?.id ?? "", message: textMessage(text) },
      });
      if (code !== 201) throw new Error(`${code} ${body.status}: ${body.message}`);
      return body;
    },
    async block({ userId }) {
      await s.sql(
        `insert into blocked_users (account_id, user_id, blocked_time)
         select account_id, id, now() from users where id = $1`,
        [userId],
      );
      s.expireCaches();
    },
  };
}
