import type { TObject } from "typebox";
import { Channel } from "./api/channels.ts";
import { Conversation } from "./api/conversations.ts";
import { Group } from "./api/groups.ts";
import { Message } from "./api/messages.ts";
import { User } from "./api/users.ts";

/** A field of an object on the wire, as docs/integrators/payload-fields.md prints it. */
export interface PayloadField {
  readonly name: string;
  readonly presence: "always" | "if it has a value" | "never";
  readonly value: string;
}
export interface PayloadObject {
  readonly title: string;
  readonly where: string;
  readonly fields: readonly PayloadField[];
}

/** A description for each property of the schema; the compiler reports a missing description. */
type Values<S extends TObject> = Readonly<Record<keyof S["properties"], string>>;

const MESSAGE: Values<typeof Message> = {
  id: "UUID",
  created_time: "time of the commit; UTC with milliseconds",
  app_id: "that of the account, as in `GET /accounts/configuration`",
  org_actor_id: "organization-level id of the agent who sent it",
  channel_id: "UUID of the channel",
  conversation_id: "UUID of the conversation",
  interaction_id: "number of the conversation, a hyphen, epoch milliseconds at which the interaction began",
  freshchat_conversation_id:
    "number of the conversation, in digits as text; `/v2/conversations/{number}` and the paths below it take it in place of the UUID",
  freshchat_channel_id: "number of the channel, in digits as text; follows from the channel's UUID",
  isBotsInput: "true for a user's message with `in_reply_to`; else false",
  message_source: "`api`, `system` or `outbound`",
  message_parts: "at least one part; `file_hash` is replaced by the file",
  reply_parts: "on messages of agents and bots",
  actor_type: "`user`, `agent`, `bot` or `system`",
  actor_id: "UUID of the user or agent. Absent for a bot, which has no valid id, and for the system",
  message_type: "`normal`, `private` or `system`",
  user_id: "UUID of the conversation's user, also if somebody else sent the message",
  meta_data:
    "as sent; `isResolved` or `isReopen` on the service's own messages; `payload` of the button that a visitor pressed",
  in_reply_to: "`{message_id}`, as sent",
  restrictResponse: "as a bot sent it; else false",
  botsPrivateNote: "as a bot sent it, with `message_type` `private`; else false",
};

const CONVERSATION: Values<typeof Conversation> = {
  conversation_id: "UUID",
  conversation_internal_id: "its number",
  freshchat_conversation_id: "the same number, in digits as text",
  channel_id: "UUID of the channel",
  assigned_agent_id: "UUID of the agent",
  assigned_org_agent_id: "organization-level id of the agent",
  assigned_group_id: "UUID of the group",
  assigned_org_group_id: "organization-level id of the group",
  app_id: "that of the account",
  status: "`new`, `assigned` or `resolved`; `reopened` in the webhook `conversation_reopen` alone",
  skill_id: "always 0: skills are not supported",
  properties: "`priority` and `cf_` properties, in accounts of a suite",
  user_id: "UUID of the user",
  url: "address of the conversation",
  created_time: "time of creation",
  updated_time: "time of the last message or change",
};

const USER: Values<typeof User> = {
  id: "UUID",
  created_time: "time of creation",
  updated_time: "time of the last change",
  login_status: "true since a site has signed the `reference_id` in the messenger, or if it was imported so",
  org_contact_id: "assigned at creation",
  restore_id: "assigned at creation; never in events and webhooks, since it restores the user's conversations",
  avatar: "as given; `{}` if no avatar was given at creation",
  email: "as given",
  first_name: "as given",
  last_name: "as given",
  phone: "as given",
  properties: "as given at creation; `[]` without properties",
  reference_id: "as given",
  social_profiles: "as given; `[]` without properties",
};

const GROUP: Values<typeof Group> = {
  id: "UUID",
  name: "set by the account document",
  description: "set by the account document",
  routing_type: "`OCR`, `INTELLIASSIGN` or `DISABLED`",
  routing_logic: "`OCR`, `ROUND_ROBIN`, `LOAD` or `DISABLED`",
};

const CHANNEL: Values<typeof Channel> = {
  id: "UUID",
  updated_time: "time of the last change by an account document",
  name: "in the account's primary language, or in that of `locale`",
  freshchat_channel_id: "its number, as in messages",
  source: "`FRESHCHAT`, the web messenger: no other kind of channel can be configured",
  icon: "`{url}`, or `{}`",
  enabled: "set by the account document",
  public: "set by the account document",
  tags: "set by the account document",
  welcome_message:
    "`message_parts` and `message_type`, with `restrictResponse`, `botsPrivateNote` and `isBotsInput` false",
  locale: "where the parameter `locale` is given",
};

/** Fields that existing services or the specification have and no response contains, with the reason. */
const ABSENT = {
  message: {
    bots_input: "bots are external programs: their questions are in `reply_parts`, the answers in `message_parts`",
    "error_code, status, error_message, error_category":
      "a message that can't be added is refused: the error response has these fields, and nothing is stored",
  },
  conversation: {
    users: "the specification leaves it out of responses: see `user_id`",
    messages: "only in the response of `POST /conversations` and in events",
    org_contact_id: "belongs to the user: see `GET /users/{user_id}`, or the user in events",
    created_by: "the creator is the actor of the first message and of the event `onConversationCreate`",
  },
  user: {},
  group: {
    chat_group_id: "a group has its `id` alone; its id in the suite's master record is `masterid_group_ids` of agents",
  },
  channel: {},
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

const described = <S extends TObject>(
  { title, where }: Pick<PayloadObject, "title" | "where">,
  schema: S,
  values: Values<S>,
  absent: Readonly<Record<string, string>>,
): PayloadObject => {
  const mandatory: readonly string[] = (schema as { readonly required?: readonly string[] }).required ?? [];
  return {
    title,
    where,
    fields: [
      ...Object.keys(schema.properties).map((name): PayloadField => {
        const presence = mandatory.includes(name) ? "always" : "if it has a value";
        return { name, presence, value: values[name as keyof S["properties"]] };
      }),
      ...Object.entries(absent).map(([name, value]): PayloadField => ({ name, presence: "never", value })),
    ],
  };
};

/** Describes the objects in responses, webhooks and events. */
export const payloadObjects = (): readonly PayloadObject[] => [
  described(
    { title: "Message", where: "the same text in lists, responses, webhooks, streams and events to apps" },
    Message,
    MESSAGE,
    ABSENT.message,
  ),
  described(
    {
      title: "Conversation",
      where: "responses, webhooks and streams; events to apps add `interaction_id` and `messages`",
    },
    Conversation,
    CONVERSATION,
    ABSENT.conversation,
  ),
  described({ title: "User", where: "responses, webhooks, streams and events" }, User, USER, ABSENT.user),
  described({ title: "Group", where: "`GET /groups`; events have `id` and `name` only" }, Group, GROUP, ABSENT.group),
  described(
    { title: "Channel", where: "`GET /channels`, and events without `locale`" },
    Channel,
    CHANNEL,
    ABSENT.channel,
  ),
];
