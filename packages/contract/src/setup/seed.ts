import Type, { type Static } from "typebox";
import { NewAgent } from "../api/agents.ts";
import { ConversationStatus, Properties } from "../api/conversations.ts";
import { LIMITS } from "../api/limits.ts";
import { MessagePart } from "../api/message-parts.ts";
import { ActorType, MessageType } from "../api/messages.ts";
import { NewUser } from "../api/users.ts";
import { Time } from "../api/values.ts";
import { AccountDocument } from "./account-document.ts";

const At = Type.Optional(Time);

/** An agent; `groups` are names of groups, or their ids. One with this e-mail address that is there already is changed. */
const SeedAgent = Type.Object({ ...NewAgent.properties, created_time: At });
/** A user; one with this reference_id, or without one with this e-mail address, that is there already is changed. */
const SeedUser = Type.Object({ ...NewUser.properties, created_time: At });

const SeedMessage = Type.Object({
  actor_type: Type.Optional(ActorType),
  agent: Type.Optional(Type.String({ maxLength: 255, description: "E-mail address of the agent who writes." })),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.text_characters, description: "For one part of text." }),
  ),
  message_parts: Type.Optional(Type.Array(MessagePart, { minItems: 1, maxItems: LIMITS.parts })),
  reply_parts: Type.Optional(Type.Array(MessagePart, { maxItems: LIMITS.parts })),
  message_type: Type.Optional(MessageType),
  created_time: At,
});

const SeedConversation = Type.Object({
  user: Type.String({ minLength: 1, maxLength: 255, description: "The user's reference_id, e-mail address or id." }),
  channel: Type.String({ minLength: 1, maxLength: 255, description: "Name of the topic, or its id." }),
  messages: Type.Array(SeedMessage, { minItems: 1, maxItems: 10_000 }),
  status: Type.Optional(ConversationStatus),
  assigned_agent: Type.Optional(Type.String({ maxLength: 255, description: "E-mail address of the agent." })),
  assigned_group: Type.Optional(Type.String({ maxLength: 255, description: "Name of the group, or its id." })),
  properties: Type.Optional(Properties),
});

/**
 * What an instance is filled with: accounts by their documents, and of one account agents, users and what they said.
 * @assumed What has no created_time happens at the present of the instance's clock; a message, a minute after the one before it
 * that has one. Apps hear nothing of what is seeded.
 */
export const SeedDocument = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "For editors." })),
    accounts: Type.Optional(Type.Array(AccountDocument, { maxItems: 100 })),
    account: Type.Optional(
      Type.String({ maxLength: 63, description: "Whose agents, users and conversations these are; acme when absent." }),
    ),
    agents: Type.Optional(Type.Array(SeedAgent, { maxItems: 1_000 })),
    users: Type.Optional(Type.Array(SeedUser, { maxItems: 10_000 })),
    conversations: Type.Optional(Type.Array(SeedConversation, { maxItems: 10_000 })),
  },
  { title: "SeedDocument" },
);
export type SeedDocument = Static<typeof SeedDocument>;
export type SeedUser = Static<typeof SeedUser>;
export type SeedAgent = Static<typeof SeedAgent>;
export type SeedConversation = Static<typeof SeedConversation>;
export type SeedMessage = Static<typeof SeedMessage>;

/** How much was seeded. */
export const SeededCounts = Type.Object(
  {
    accounts: Type.Integer(),
    agents: Type.Integer(),
    users: Type.Integer(),
    conversations: Type.Integer(),
    messages: Type.Integer(),
    milliseconds: Type.Integer({ description: "Of the machine's time." }),
  },
  { title: "SeededCounts" },
);
export type SeededCounts = Static<typeof SeededCounts>;
