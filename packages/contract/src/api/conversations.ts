import { sessionsOf } from "../kernel/access.ts";
import Type, { type Static } from "typebox";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { AGENT_NOT_FOUND } from "./agents.ts";
import { CHANNEL_NOT_FOUND } from "./channels.ts";
import { CONVERSATION_NOT_FOUND } from "./conversation-problems.ts";
import { GROUP_NOT_FOUND } from "./groups.ts";
import { KEPT_ANSWER_REMOVED } from "./idempotency.ts";
import { LIMITS } from "./limits.ts";
import { Message, MESSAGE_PROBLEMS, NewMessage } from "./messages.ts";
import { CONFLICT } from "./problems.ts";
import { USER_NOT_FOUND } from "./users.ts";
import { NumberText, ShortText, Time, Url } from "./values.ts";

export { CONVERSATION_NOT_FOUND };

/** @spec States and transitions > Conversation status */
export const ConversationStatus = Type.Enum(["new", "assigned", "resolved", "reopened"]);
export type ConversationStatus = Static<typeof ConversationStatus>;

/** Values by property name: `priority` or `cf_…`. An array is the value of a multi-select. @spec Resources and their fields > Conversation object */
export const Properties = Type.Record(
  Type.String(),
  Type.Union([
    Type.String({ maxLength: LIMITS.text_characters }),
    Type.Array(Type.String({ maxLength: LIMITS.short_text_characters }), { maxItems: LIMITS.properties }),
  ]),
  { maxProperties: LIMITS.properties },
);
export type Properties = Static<typeof Properties>;
export type PropertyValue = Properties[string];

const assignment = {
  assigned_agent_id: Type.Optional(Type.String({ description: "An empty string unassigns." })),
  assigned_org_agent_id: Type.Optional(Type.String()),
  assigned_group_id: Type.Optional(Type.String({ description: "An empty string unassigns." })),
  assigned_org_group_id: Type.Optional(Type.String()),
};

/** @spec Resources and their fields > Conversation object */
export const Conversation = Type.Object(
  {
    conversation_id: Type.String(),
    conversation_internal_id: Type.Integer({ description: "The number that interaction ids start with." }),
    freshchat_conversation_id: NumberText("The same number as text; a path takes it in place of the id."),
    channel_id: Type.String(),
    ...assignment,
    app_id: Type.String(),
    status: ConversationStatus,
    skill_id: Type.Optional(Type.Integer({ description: "Always 0: skills are not supported." })),
    properties: Type.Optional(Properties),
    user_id: Type.String(),
    url: Url,
    created_time: Time,
    updated_time: Time,
  },
  { title: "Conversation" },
);
export type Conversation = Static<typeof Conversation>;

/** Response of createConversation: the conversation with its messages. @spec Endpoints > Conversations */
export const CreatedConversation = Type.Object(
  { ...Conversation.properties, messages: Type.Array(Message) },
  { title: "CreatedConversation" },
);
export type CreatedConversation = Static<typeof CreatedConversation>;

export const NewConversation = Type.Object(
  {
    status: Type.Optional(ConversationStatus),
    channel_id: ShortText,
    messages: Type.Array(NewMessage, { minItems: 1, maxItems: LIMITS.messages_per_create }),
    ...assignment,
    properties: Type.Optional(Properties),
    users: Type.Array(Type.Object({ id: Type.String() }), { minItems: 1, maxItems: 1 }),
  },
  { title: "NewConversation" },
);
export type NewConversation = Static<typeof NewConversation>;

/** Only status, assigned_agent_id, assigned_group_id and properties have an effect. */
export const ConversationChange = Type.Object(
  {
    status: Type.Optional(ConversationStatus),
    channel_id: Type.Optional(ShortText),
    ...assignment,
    properties: Type.Optional(Properties),
  },
  { title: "ConversationChange" },
);
export type ConversationChange = Static<typeof ConversationChange>;

export const AGENT_NOT_IN_GROUP = problem({
  code: 400,
  status: "AGENT_NOT_IN_GROUP",
  message: "The agent does not belong to the conversation's group: choose a member, or another group.",
});
/** Properties on a stand-alone account, an unknown property, or a value that the property doesn't allow. */
export const INVALID_PROPERTY = problem({
  code: 400,
  status: "INVALID_PROPERTY",
  message: "A conversation property is not valid.",
});
/** A conversation can't be resolved while a required property has no value. The message names the property. */
export const PROPERTY_REQUIRED = problem({
  code: 400,
  status: "PROPERTY_REQUIRED",
  message: "A required property has no value: give it before the conversation is resolved.",
});

const STATE_PROBLEMS = [
  AGENT_NOT_FOUND,
  GROUP_NOT_FOUND,
  AGENT_NOT_IN_GROUP,
  INVALID_PROPERTY,
  PROPERTY_REQUIRED,
] as const;

export const conversations = {
  createConversation: endpoint({
    route: "POST /conversations",
    summary: "Start a conversation with its first messages",
    spec: "Endpoints > Conversations",
    access: { token: "conversation:create", session: sessionsOf("AGENT", "some") },
    acceptsIdempotencyKey: true,
    body: NewConversation,
    reply: { code: 202, body: CreatedConversation },
    addsMessages: true,
    problems: [CHANNEL_NOT_FOUND, USER_NOT_FOUND, ...STATE_PROBLEMS, ...MESSAGE_PROBLEMS, KEPT_ANSWER_REMOVED],
  }),
  getConversation: endpoint({
    route: "GET /conversations/{conversation_id}",
    summary: "Get one conversation, without its messages",
    spec: "Endpoints > Conversations",
    access: { token: "conversation:read", session: sessionsOf("AGENT", "conversation") },
    reply: { code: 200, body: Conversation },
    problems: [CONVERSATION_NOT_FOUND],
  }),
  updateConversation: endpoint({
    route: "PUT /conversations/{conversation_id}",
    summary: "Assign, resolve or reopen a conversation, or set its properties",
    spec: "Endpoints > Conversations",
    access: { token: "conversation:update", session: sessionsOf("AGENT", "conversation") },
    body: ConversationChange,
    reply: { code: 200, body: Conversation },
    problems: [CONVERSATION_NOT_FOUND, ...STATE_PROBLEMS, CONFLICT],
  }),
};
