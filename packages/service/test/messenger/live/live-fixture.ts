import { MESSENGER_API, type MessengerConversation, type MessengerStreamItem } from "@parley/contract";
import { openStreamReader, type StreamReader } from "../../events/stream/stream-reader-fixture.ts";
import type { MessengerHarness } from "../messenger-harness.ts";

/** An open stream of a visitor. */
export interface VisitorStream extends StreamReader {
  /** Received items, in order. */
  readonly items: readonly (MessengerStreamItem & { readonly id: string })[];
  /** Texts of the messages that were received. */
  readonly texts: readonly string[];
}

export const openVisitorStream = async (url: string, token: string, lastEventId?: string): Promise<VisitorStream> => {
  const reader = await openStreamReader({ url, token, path: `${MESSENGER_API}/stream`, lastEventId });
  const items = () => reader.events as unknown as VisitorStream["items"];
  return Object.defineProperties(Object.create(reader) as VisitorStream, {
    items: { get: items },
    texts: {
      get: () =>
        items().flatMap((item) =>
          item.event === "message" ? [item.data.message.message_parts[0]?.text?.content ?? ""] : [],
        ),
    },
  });
};

/** Opens streams of visitors, which are closed at the end of a test. */
export const visitorStreams = () => {
  const opened: VisitorStream[] = [];
  return {
    open: async (...input: Parameters<typeof openVisitorStream>): Promise<VisitorStream> => {
      const stream = await openVisitorStream(...input);
      opened.push(stream);
      return stream;
    },
    closeAll: async (): Promise<void> => {
      for (const each of opened) each.disconnect();
      await Promise.all(opened.splice(0).map(({ ended }) => ended));
    },
  };
};

/** A visitor of acme with a conversation. */
export interface WritingVisitor {
  readonly token: string;
  readonly userId: string;
  readonly conversationId: string;
  /** Id of the first message. */
  readonly firstMessageId: string;
  /** -> the id of the message */
  readonly write: (text: string) => Promise<string>;
  activity(
    body: object,
    conversationId?: string,
  ): Promise<{ readonly code: number; readonly status: string | undefined }>;
}

const messageOf = (text: string) => ({ message_parts: [{ text: { content: text } }] });

export const writingVisitor = async (s: MessengerHarness): Promise<WritingVisitor> => {
  const { token, visitor } = await s.visitor();
  const { channels } = await s.client.channels.listChannels();
  const topic_id = channels.find((channel) => channel.enabled && channel.public)?.id;
  const begun = await s.request<{ conversation: MessengerConversation; messages: { id: string }[] }>(
    "POST",
    "/conversations",
    { token, body: { topic_id, message: messageOf("first") } },
  );
  if (begun.code !== 201) throw new Error(JSON.stringify(begun.body));
  const { conversation, messages } = begun.body;
  return {
    token,
    userId: visitor.user_id,
    conversationId: conversation.id,
    firstMessageId: messages[0]?.id ?? "",
    async write(text) {
      const path = `/conversations/${conversation.id}/messages`;
      const sent = await s.request<{ id: string }>("POST", path, { token, body: messageOf(text) });
      if (sent.code !== 200) throw new Error(JSON.stringify(sent.body));
      return sent.body.id;
    },
    async activity(body, conversationId = conversation.id) {
      const { code, body: reply } = await s.request("PUT", `/conversations/${conversationId}/activity`, {
        token,
        body,
      });
      return { code, status: reply.status };
    },
  };
};
