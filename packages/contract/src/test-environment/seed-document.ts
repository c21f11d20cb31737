import Type, { type Static } from "typebox";
import { NewAgent } from "../api/agents.ts";
import { ConversationStatus, Properties } from "../api/conversations.ts";
import { LIMITS } from "../api/limits.ts";
import { MessagePart } from "../api/message-parts.ts";
import { ActorType, MessageType } from "../api/messages.ts";
import { NewUser } from "../api/users.ts";
import { Time, VisibleText } from "../api/values.ts";
import { AccountDocument } from "../account-document/account-document.ts";

const At = Type.Optional(Time);

/** An agent; `groups` are names or ids of groups. An existing agent with this e-mail address is updated. */
const SeedAgent = Type.Object({ ...NewAgent.properties, created_time: At });
/** A user. An existing user with this reference_id is updated; without a reference_id, an existing user with this e-mail address. */
const SeedUser = Type.Object({ ...NewUser.properties, created_time: At });

const SeedMessage = Type.Object({
  actor_type: Type.Optional(ActorType),
  agent: Type.Optional(Type.String({ maxLength: 255, description: "E-mail address of the agent who writes." })),
  text: Type.Optional(VisibleText(LIMITS.text_characters, { description: "Shorthand for a single text part." })),
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
 * Initial data of an instance: accounts by their documents, and agents, users and conversations of one account.
 * @assumed Records without a created_time are created at the current time of the instance's clock; a message without a created_time is
 * dated a minute after the preceding message that has a created_time. Seeding sends no events to apps.
 */
export const SeedDocument = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "For editors." })),
    accounts: Type.Optional(Type.Array(AccountDocument, { maxItems: 100 })),
    account: Type.Optional(
      Type.String({ maxLength: 63, description: "Account of the agents, users and conversations; acme when absent." }),
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

/** Numbers of seeded records. */
export const SeededCounts = Type.Object(
  {
    accounts: Type.Integer(),
    agents: Type.Integer(),
    users: Type.Integer(),
    conversations: Type.Integer(),
    messages: Type.Integer(),
    milliseconds: Type.Integer({ description: "By the machine's clock." }),
  },
  { title: "SeededCounts" },
);
export type SeededCounts = Static<typeof SeededCounts>;
