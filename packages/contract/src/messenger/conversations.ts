import Type, { type Static } from "typebox";
import { CHANNEL_NOT_FOUND } from "../api/channels.ts";
import { CONVERSATION_NOT_FOUND } from "../api/conversation-problems.ts";
import { ConversationStatus, Properties } from "../api/conversations.ts";
import { CSAT_REOPEN_REFUSED, NewCsat } from "../api/csat.ts";
import { KEPT_ANSWER_REMOVED } from "../api/idempotency.ts";
import { LIMITS } from "../api/limits.ts";
import {
  ActorType,
  INVALID_MESSAGE_PARTS,
  INVALID_REPLY_TARGET,
  NOT_LATEST_CONVERSATION,
  RESPONSE_RESTRICTED,
} from "../api/messages.ts";
import { MessagePart } from "../api/message-parts.ts";
import { CONFLICT } from "../api/problems.ts";
import { Time } from "../api/values.ts";
import { MESSAGE_NOT_FOUND, THREAD_PAGE_SIZE } from "../console/threads.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { MESSENGER_API, MESSENGER_SPEC } from "./messenger.ts";
import { VISITOR_BLOCKED } from "./problems.ts";

/** Who wrote, as a visitor sees it: of an agent the first name and the picture only. */
export const MessengerActor = Type.Object(
  {
    type: ActorType,
    first_name: Type.Optional(Type.String()),
    avatar_url: Type.Optional(Type.String()),
  },
  { title: "MessengerActor" },
);
export type MessengerActor = Static<typeof MessengerActor>;

const Parts = Type.Array(MessagePart, { maxItems: LIMITS.parts });
const ReplyTarget = Type.Optional(Type.Object({ message_id: Type.String() }));

/** A message of a visitor's conversation. Private notes are never shown. */
export const MessengerMessage = Type.Object(
  {
    id: Type.String(),
    conversation_id: Type.String(),
    created_time: Time,
    actor: MessengerActor,
    message_type: Type.Enum(["normal", "system"]),
    message_parts: Parts,
    reply_parts: Type.Optional(Parts),
    in_reply_to: ReplyTarget,
    restrictResponse: Type.Optional(Type.Boolean()),
  },
  { title: "MessengerMessage" },
);
export type MessengerMessage = Static<typeof MessengerMessage>;

/** A conversation of the visitor, with its last message. */
export const MessengerConversation = Type.Object(
  {
    id: Type.String(),
    topic_id: Type.String(),
    status: ConversationStatus,
    is_latest: Type.Boolean({ description: "Only the latest conversation of a user takes further messages." }),
    created_time: Time,
    unread_count: Type.Integer({
      description:
        "Messages of others after the last one that the visitor has read. At most 50 messages are looked at, those of the visitor included.",
    }),
    /** When an agent last had the conversation open. */
    agent_read_time: Type.Optional(Time),
    agent: Type.Optional(MessengerActor),
    interaction_id: Type.String({ description: "The part of the conversation that a rating is for." }),
    is_rated: Type.Boolean({ description: "Whether the current interaction has a rating." }),
    last_message: Type.Optional(MessengerMessage),
  },
  { title: "MessengerConversation" },
);
export type MessengerConversation = Static<typeof MessengerConversation>;

/** A message that a visitor sends. */
export const NewMessengerMessage = Type.Object(
  {
    message_parts: Type.Array(MessagePart, { minItems: 1, maxItems: LIMITS.parts }),
    in_reply_to: ReplyTarget,
    /** @assumed The specification says that the payload goes to the service, but not where a message shows it: in `meta_data.payload`. */
    payload: Type.Optional(
      Type.String({
        maxLength: LIMITS.text_characters,
        description:
          "Payload of the button that the visitor pressed, in the message that in_reply_to names. The stored message has it in meta_data.payload.",
      }),
    ),
  },
  { title: "NewMessengerMessage" },
);
export type NewMessengerMessage = Static<typeof NewMessengerMessage>;

const MessageId = Type.Optional(Type.String({ maxLength: 64 }));
const WRITING = [INVALID_MESSAGE_PARTS, INVALID_REPLY_TARGET, VISITOR_BLOCKED] as const;

export const messengerConversations = {
  listMessengerConversations: endpoint({
    route: `GET ${MESSENGER_API}/conversations`,
    summary: "List the visitor's conversations, the newest first: at most 100",
    spec: MESSENGER_SPEC,
    access: { visitor: "account" },
    reply: { code: 200, body: Type.Object({ conversations: Type.Array(MessengerConversation) }) },
  }),
  beginMessengerConversation: endpoint({
    route: `POST ${MESSENGER_API}/conversations`,
    summary: "Begin a conversation about a topic with its first message",
    spec: MESSENGER_SPEC,
    access: { visitor: "account" },
    acceptsIdempotencyKey: true,
    body: Type.Object(
      {
        topic_id: Type.String({ maxLength: 64 }),
        message: NewMessengerMessage,
        properties: Type.Optional({
          ...Properties,
          description:
            "Conversation properties that the site gives, by name: `cf_…`. Unknown names, and values that the property does not take, are left out: they do not prevent the message.",
        }),
      },
      { title: "NewMessengerConversation" },
    ),
    reply: {
      code: 201,
      body: Type.Object({ conversation: MessengerConversation, messages: Type.Array(MessengerMessage) }),
    },
    addsMessages: true,
    problems: [CHANNEL_NOT_FOUND, ...WRITING, KEPT_ANSWER_REMOVED],
  }),
  listMessengerMessages: endpoint({
    route: `GET ${MESSENGER_API}/conversations/{conversation_id}/messages`,
    summary:
      "List a part of a conversation's messages, the oldest first: the newest messages, or those beside a message",
    spec: MESSENGER_SPEC,
    access: { visitor: "conversation" },
    query: Type.Object({
      before: MessageId,
      after: MessageId,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: THREAD_PAGE_SIZE.max })),
    }),
    reply: {
      code: 200,
      body: Type.Object({
        messages: Type.Array(MessengerMessage),
        has_older: Type.Boolean(),
        has_newer: Type.Boolean(),
      }),
    },
    problems: [CONVERSATION_NOT_FOUND, MESSAGE_NOT_FOUND],
  }),
  sendMessengerMessage: endpoint({
    route: `POST ${MESSENGER_API}/conversations/{conversation_id}/messages`,
    summary: "Send a message to the visitor's latest conversation; a resolved conversation is reopened",
    spec: MESSENGER_SPEC,
    access: { visitor: "conversation" },
    acceptsIdempotencyKey: true,
    body: NewMessengerMessage,
    reply: { code: 200, body: MessengerMessage },
    addsMessages: true,
    problems: [CONVERSATION_NOT_FOUND, ...WRITING, NOT_LATEST_CONVERSATION, RESPONSE_RESTRICTED, CONFLICT],
  }),
  rateMessengerConversation: endpoint({
    route: `POST ${MESSENGER_API}/conversations/{conversation_id}/csat`,
    summary: "Rate a conversation",
    spec: "Endpoints > CSAT",
    access: { visitor: "conversation" },
    acceptsIdempotencyKey: true,
    body: NewCsat,
    reply: { code: 201, body: MessengerConversation },
    problems: [CONVERSATION_NOT_FOUND, CSAT_REOPEN_REFUSED, VISITOR_BLOCKED, CONFLICT, KEPT_ANSWER_REMOVED],
  }),
};
