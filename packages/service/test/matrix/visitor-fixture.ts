import {
  messengerConversations,
  routeOf,
  visitors,
  type MessengerConversation,
  type VisitorSession,
} from "@parley/contract";
import type { SessionHarness } from "../identity/authentication/session-harness.ts";

/** A visitor of the messenger with a conversation. */
export interface VisitorWithConversation {
  readonly token: string;
  readonly userId: string;
  readonly conversationId: string;
}

/** Headers of a visitor's request. */
export const asVisitor = ({ token }: Pick<VisitorWithConversation, "token">) => ({
  headers: { authorization: `Bearer ${token}` },
});

/** Begins a session and a conversation, as the messenger of a page does. @errors Error if they are refused */
export async function createVisitor(s: SessionHarness, account = "acme"): Promise<VisitorWithConversation> {
  const post = async <T>(row: Parameters<typeof routeOf>[0], request: object): Promise<T> => {
    const { code, body } = await s.page<T>("POST", routeOf(row).path, request);
    if (code !== 201) throw new Error(`${code} ${body.status}: ${body.message}`);
    return body;
  };
  const { token, visitor } = await post<VisitorSession>(visitors.beginVisitorSession, { body: { account } });
  const { channels } = await s
    .page<{ channels: { id: string }[] }>("GET", "/v2/channels", {
      headers: { authorization: `Bearer ${(await s.admin.issueToken({ account, name: "topics" })).token}` },
    })
    .then(({ body }) => body);
  const { conversation } = await post<{ conversation: MessengerConversation }>(
    messengerConversations.beginMessengerConversation,
    {
      ...asVisitor({ token }),
      body: { topic_id: channels[0]?.id, message: { message_parts: [{ text: { content: "Hello" } }] } },
    },
  );
  return { token, userId: visitor.user_id, conversationId: conversation.id };
}
