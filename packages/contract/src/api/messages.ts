import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { AGENT_NOT_FOUND } from "./agents.ts";
import { CONVERSATION_NOT_FOUND } from "./conversation-problems.ts";
import { LIMITS } from "./limits.ts";
import { MessagePart } from "./message-parts.ts";
import { pageQuery } from "./pagination.ts";
import { CONFLICT } from "./problems.ts";
import { USER_NOT_FOUND } from "./users.ts";
import { NumberText, Pairs, Time } from "./values.ts";

export const ActorType = Type.Enum(["user", "agent", "bot", "system"]);
export type ActorType = Static<typeof ActorType>;
export const MessageType = Type.Enum(["normal", "private", "system"]);
export type MessageType = Static<typeof MessageType>;

const Parts = Type.Array(MessagePart, { maxItems: LIMITS.parts });

const writableFields = {
  message_parts: Type.Optional(Parts),
  reply_parts: Type.Optional(Parts),
  actor_type: ActorType,
  actor_id: Type.Optional(Type.String()),
  message_type: Type.Optional(MessageType),
  user_id: Type.Optional(Type.String()),
  meta_data: Type.Optional(Pairs),
  in_reply_to: Type.Optional(Type.Object({ message_id: Type.String() })),
  restrictResponse: Type.Optional(Type.Boolean()),
  botsPrivateNote: Type.Optional(Type.Boolean()),
};

/** @spec Resources and their fields > Message object */
export const Message = Type.Object(
  {
    id: Type.String(),
    created_time: Time,
    app_id: Type.String(),
    org_actor_id: Type.Optional(Type.String()),
    channel_id: Type.String(),
    conversation_id: Type.String(),
    interaction_id: Type.String(),
    freshchat_conversation_id: NumberText("The conversation's number; a path takes it in place of the id."),
    freshchat_channel_id: NumberText("The channel's number."),
    /** @assumed True if a user answers a response enabler, that is, if the message has in_reply_to. */
    isBotsInput: Type.Optional(Type.Boolean()),
    /** @assumed `api`: every message is sent over the API or by the service itself. */
    message_source: Type.Optional(Type.String()),
    ...writableFields,
    message_parts: Parts,
    message_type: MessageType,
  },
  { title: "Message" },
);
export type Message = Static<typeof Message>;

/** A message as a client sends it. */
export const NewMessage = Type.Object(writableFields, { title: "NewMessage" });
export type NewMessage = Static<typeof NewMessage>;

/** A part at a position where it isn't allowed, too many parts, or parts nested too deeply. The message names the position. */
export const INVALID_MESSAGE_PARTS = problem({
  code: 400,
  status: "INVALID_MESSAGE_PARTS",
  message: "A message part is not valid here.",
  category: "MESSAGE",
});
/** actor_id is missing, or the actor may not write to this conversation. An unknown agent is AGENT_NOT_FOUND. */
export const INVALID_ACTOR = problem({
  code: 400,
  status: "INVALID_ACTOR",
  message: "The actor can't send this message.",
  category: "USER",
});
export const INVALID_REPLY_TARGET = problem({
  code: 400,
  status: "INVALID_REPLY_TARGET",
  message: "in_reply_to names no message of this conversation.",
  category: "MESSAGE",
});
/** @assumed The latest of all the user's conversations in any channel: existing services refuse so, without a mention of channels. */
export const NOT_LATEST_CONVERSATION = problem({
  code: 400,
  status: "NOT_LATEST_CONVERSATION",
  message: "This is not the latest conversation of the user: send the message to the latest one.",
  category: "USER",
});
export const RESPONSE_RESTRICTED = problem({
  code: 400,
  status: "RESPONSE_RESTRICTED",
  message: "The bot ended this conversation and takes no further response from the user.",
  category: "USER",
});

export const MESSAGE_PROBLEMS = [INVALID_MESSAGE_PARTS, INVALID_ACTOR, AGENT_NOT_FOUND, INVALID_REPLY_TARGET] as const;

export const messages = {
  listMessages: endpoint({
    route: "GET /conversations/{conversation_id}/messages",
    summary: "List the messages of a conversation, the newest first unless sort_order is asc",
    spec: "Endpoints > Conversations",
    access: { token: "message:read", session: sessionsOf("AGENT", "conversation") },
    query: Type.Object({
      from_time: Type.Optional(Type.String({ format: "date-time", description: "Inclusive." })),
      /** @assumed The bound is a position in the log and not a time, since many messages can share a millisecond. */
      until: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: LIMITS.page_max,
          description: "From the link of a page: excludes messages that were added after the first page was read.",
        }),
      ),
      sort_order: Type.Optional(Type.Enum(["asc", "desc"], { description: "desc when absent: the newest first." })),
      ...pageQuery,
    }),
    reply: {
      code: 200,
      body: Type.Object({
        messages: Type.Array(Message),
        link: Type.Optional(Type.Object({ rel: Type.String(), href: Type.String() })),
      }),
    },
    problems: [CONVERSATION_NOT_FOUND],
  }),
  createMessage: endpoint({
    route: "POST /conversations/{conversation_id}/messages",
    summary: "Send a message to a conversation",
    spec: "Endpoints > Conversations",
    access: { token: "message:create", session: sessionsOf("AGENT", "conversation") },
    acceptsIdempotencyKey: true,
    body: NewMessage,
    reply: { code: 200, body: Message },
    addsMessages: true,
    problems: [
      CONVERSATION_NOT_FOUND,
      USER_NOT_FOUND,
      ...MESSAGE_PROBLEMS,
      NOT_LATEST_CONVERSATION,
      RESPONSE_RESTRICTED,
      CONFLICT,
    ],
  }),
};
