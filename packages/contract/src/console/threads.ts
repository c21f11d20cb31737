import Type from "typebox";
import { CONVERSATION_NOT_FOUND } from "../api/conversation-problems.ts";
import { Message } from "../api/messages.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONSOLE_API } from "./inbox.ts";

/** @units messages */
export const THREAD_PAGE_SIZE = { default: 50, max: 200 } as const;

export const MESSAGE_NOT_FOUND = problem({
  code: 404,
  status: "MESSAGE_NOT_FOUND",
  message: "The conversation has no such message.",
});

const MessageId = Type.Optional(Type.String({ maxLength: 64 }));

export const threads = {
  listThread: endpoint({
    route: `GET ${CONSOLE_API}/conversations/{conversation_id}/messages`,
    summary:
      "List a part of a conversation's messages, the oldest first: the newest messages, or those beside a message",
    spec: "Resources and their fields > Message object",
    access: { session: sessionsOf("AGENT", "conversation") },
    query: Type.Object({
      before: MessageId,
      after: MessageId,
      around: Type.Optional(
        Type.String({
          maxLength: 64,
          description: "The message with as many before as after it. At most one of the three.",
        }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: THREAD_PAGE_SIZE.max })),
    }),
    reply: {
      code: 200,
      body: Type.Object({
        messages: Type.Array(Message),
        has_older: Type.Boolean(),
        has_newer: Type.Boolean(),
      }),
    },
    problems: [CONVERSATION_NOT_FOUND, MESSAGE_NOT_FOUND],
  }),
};
