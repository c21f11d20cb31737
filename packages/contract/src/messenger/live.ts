import Type, { type Static } from "typebox";
import { CONVERSATION_NOT_FOUND } from "../api/conversation-problems.ts";
import { StreamReset, TOO_MANY_STREAMS } from "../api/stream.ts";
import { NoContent, Time } from "../api/values.ts";
import { MESSAGE_NOT_FOUND } from "../console/threads.ts";
import { VisitorPage } from "../console/visitor-page.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { MessengerActor, MessengerConversation, MessengerMessage } from "./conversations.ts";
import { MESSENGER_API, MESSENGER_SPEC } from "./messenger.ts";

/** The first event of a stream. */
export const MessengerStreamStart = Type.Object(
  {
    keep_alive_ms: Type.Integer({
      description: "Time between two keep-alive comments. A stream that is silent for longer has lost its connection.",
    }),
  },
  { title: "MessengerStreamStart" },
);
export type MessengerStreamStart = Static<typeof MessengerStreamStart>;

/** A new message in a conversation of the visitor, also one of the visitor's own. */
export const MessengerMessageEvent = Type.Object({ message: MessengerMessage }, { title: "MessengerMessageEvent" });
export type MessengerMessageEvent = Static<typeof MessengerMessageEvent>;

/** A conversation that was begun, assigned, resolved, reopened or rated. */
export const MessengerConversationEvent = Type.Object(
  { conversation: MessengerConversation },
  { title: "MessengerConversationEvent" },
);
export type MessengerConversationEvent = Static<typeof MessengerConversationEvent>;

/** The agents who are writing in a conversation; sent whenever that changes. It is not in the log. */
export const MessengerTyping = Type.Object(
  { conversation_id: Type.String(), actors: Type.Array(MessengerActor) },
  { title: "MessengerTyping" },
);
export type MessengerTyping = Static<typeof MessengerTyping>;

/** An agent has opened a conversation; sent when the time is later than that of a message. It is not in the log. */
export const MessengerRead = Type.Object(
  { conversation_id: Type.String(), agent_read_time: Time },
  { title: "MessengerRead" },
);
export type MessengerRead = Static<typeof MessengerRead>;

/**
 * Events of a visitor's stream by their `event` field. Those of the log, `message` and `conversation`, have an `id` to resume after. A begun
 * conversation is sent as `conversation` and then its messages: only the last of them has an `id`. After `reset` read the conversations anew.
 */
export type MessengerStreamItem =
  | { readonly event: "stream_start"; readonly data: MessengerStreamStart }
  | { readonly event: "message"; readonly data: MessengerMessageEvent }
  | { readonly event: "conversation"; readonly data: MessengerConversationEvent }
  | { readonly event: "typing"; readonly data: MessengerTyping }
  | { readonly event: "read"; readonly data: MessengerRead }
  | { readonly event: "reset"; readonly data: StreamReset };

export const messengerLive = {
  streamMessenger: endpoint({
    route: `GET ${MESSENGER_API}/stream`,
    summary: "Receive the messages and changes of the visitor's conversations; it ends with the session",
    spec: MESSENGER_SPEC,
    access: { visitor: "account" },
    reply: {
      code: 200,
      type: "text/event-stream",
      body: Type.Union([
        MessengerStreamStart,
        MessengerMessageEvent,
        MessengerConversationEvent,
        MessengerTyping,
        MessengerRead,
        StreamReset,
      ]),
    },
    problems: [TOO_MANY_STREAMS],
  }),
  reportVisitorActivity: endpoint({
    route: `PUT ${MESSENGER_API}/conversations/{conversation_id}/activity`,
    summary: "Report that the visitor writes, has stopped writing, has read a message, or is on another page",
    spec: MESSENGER_SPEC,
    access: { visitor: "conversation" },
    body: Type.Object(
      {
        is_typing: Type.Optional(Type.Boolean({ description: "true holds for 8 s." })),
        read_message_id: Type.Optional(Type.String({ maxLength: 64 })),
        page: Type.Optional(VisitorPage),
      },
      { title: "VisitorActivity" },
    ),
    reply: { code: 204, body: NoContent },
    problems: [CONVERSATION_NOT_FOUND, MESSAGE_NOT_FOUND],
  }),
};
