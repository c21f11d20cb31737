import { isDeepStrictEqual } from "node:util";
import { instantOf } from "../users/instant.ts";
import {
  type ImportedConversation,
  type ImportedMessage,
  type ImportedUser,
  type Message,
  type User,
  AGENT_NOT_FOUND,
  CHANNEL_NOT_FOUND,
  GROUP_NOT_FOUND,
  INVALID_VALUE,
  refuse,
} from "@parley/contract";
import { channelNumber } from "../directory/channel.ts";
import { hasProperties, interactionIdFrom } from "../conversations/conversation.ts";
import { messageJson } from "../messages/parts.ts";
import type { Ports } from "../environment/ports.ts";
import { isUuid } from "../http/uuid.ts";
import { blankUser } from "../users/redact.ts";
import { newUser, userJson } from "../users/user.ts";
import type { ImportedConversationRow, ImportedMessageRow, ImportedUserRow } from "./insert.sql.ts";
import type { ExistingConversation } from "./lookup.sql.ts";
import type { AccountDirectory } from "./account-directory.ts";

type Json = Readonly<Record<string, unknown>>;

const orNothing = (value: unknown): unknown => (value === "" || value === null ? undefined : value);

/** -> the first member of the record that differs from the stored one, or undefined. An empty text equals an absent member. */
export const differsFromStored = (given: Json, present: Json): string | undefined =>
  Object.entries(given).find(([name, value]) => {
    if (value === undefined) return false;
    return !isDeepStrictEqual(orNothing(value), orNothing(present[name]));
  })?.[0];

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A time in the format of rows and replies. */
export const recordTime = (given: string): string => (CANONICAL.test(given) ? given : instantOf.floor(given));

/** A user of a record, with ids and times in the format of rows. */
export const givenUser = ({ idOf }: AccountDirectory, record: ImportedUser) => {
  const { type: _type, deleted_time, ...given } = record;
  const created_time = recordTime(given.created_time);
  const user: Partial<User> & Pick<User, "id" | "created_time" | "updated_time"> = {
    ...(!isUuid(given.id) && { reference_id: given.id }),
    ...given,
    id: idOf("user", given.id),
    created_time,
    updated_time: given.updated_time === undefined ? created_time : recordTime(given.updated_time),
  };
  return { user, deleted_time: deleted_time === undefined ? null : recordTime(deleted_time) };
};
export type GivenUser = ReturnType<typeof givenUser>;

/** The row of a new user. */
export const userRow = ({ user, deleted_time }: GivenUser, ports: Ports): ImportedUserRow => {
  const whole: User = { ...newUser({}, ports), ...user };
  const body = userJson(whole);
  if (deleted_time === null) return { ...whole, deleted_time, body };
  const { id, created_time, updated_time } = whole;
  return { id, created_time, updated_time, deleted_time, body: blankUser(body) };
};

const oneOf = (text: string | undefined, idOf: (text: string) => string): string | null => (text ? idOf(text) : null);

const STATUSES = { new: "new", reopened: "new", assigned: "assigned", resolved: "resolved" } as const;

/**
 * A conversation of a record, with ids and times in the format of rows.
 * @errors INVALID_VALUE, CHANNEL_NOT_FOUND, AGENT_NOT_FOUND, GROUP_NOT_FOUND
 * @assumed The references of a resolved conversation may lead to removed objects. The channel, agent and group of an open one must exist.
 */
export const givenConversation = (roll: AccountDirectory, record: ImportedConversation) => {
  const status = STATUSES[record.status ?? (record.assigned_agent_id ? "assigned" : "new")];
  const agent = oneOf(record.assigned_agent_id, roll.agentId);
  const group = oneOf(record.assigned_group_id, roll.groupId);
  const channel = roll.channelId(record.channel_id);
  if (status === "new" && agent !== null)
    refuse(INVALID_VALUE, "status must be assigned or resolved where assigned_agent_id is given");
  if (status === "assigned" && agent === null)
    refuse(INVALID_VALUE, "assigned_agent_id is mandatory where status is assigned");
  if (status !== "resolved") {
    if (!roll.hasChannel(channel)) refuse(CHANNEL_NOT_FOUND, `channel_id names no channel of ${roll.account.name}`);
    if (agent !== null && !roll.agents.has(agent))
      refuse(AGENT_NOT_FOUND, `assigned_agent_id names no agent of ${roll.account.name}`);
    if (group !== null && !roll.hasGroup(group))
      refuse(GROUP_NOT_FOUND, `assigned_group_id names no group of ${roll.account.name}`);
  }
  if (record.properties !== undefined && !hasProperties(roll.account))
    refuse(INVALID_VALUE, "properties may not be given: a stand-alone account has no conversation properties");
  const created_time = recordTime(record.created_time);
  return {
    id: roll.idOf("conversation", record.conversation_id),
    user_id: roll.idOf("user", record.user_id),
    channel_id: channel,
    created_time,
    updated_time: record.updated_time === undefined ? created_time : recordTime(record.updated_time),
    status,
    assigned_agent_id: agent,
    assigned_group_id: group,
    interaction_id: record.interaction_id,
    properties: record.properties,
    restricted: record.restricted ?? false,
  };
};
export type GivenConversation = ReturnType<typeof givenConversation>;

/** The row of a new conversation. */
export const conversationRow = (given: GivenConversation, number: number): ImportedConversationRow => ({
  ...given,
  number,
  interaction_id: given.interaction_id ?? interactionIdFrom(number, new Date(given.created_time)),
  properties: JSON.stringify(given.properties ?? {}),
});

const actorOf = (
  roll: AccountDirectory,
  { actor_type, actor_id, org_actor_id }: ImportedMessage,
  userId: string,
): Pick<Message, "actor_id" | "org_actor_id"> => {
  if (actor_type === "user") return { actor_id: actor_id ? roll.idOf("user", actor_id) : userId };
  if (actor_type !== "agent" || !actor_id) return {};
  const id = roll.agentId(actor_id);
  return { actor_id: id, org_actor_id: org_actor_id ?? roll.agents.get(id)?.org_contact_id };
};

/** Lists every member by name: merging two objects costs more than parsing the record. */
type Whole = { readonly [Name in keyof Required<Message>]: Message[Name] | undefined };

/** The row of a message in its conversation. */
export const messageRow = (
  roll: AccountDirectory,
  { id, record }: { readonly id: string; readonly record: ImportedMessage },
  conversation: Pick<ExistingConversation, "id" | "number" | "user_id" | "channel_id" | "interaction_id">,
): ImportedMessageRow => {
  const created_time = recordTime(record.created_time);
  const interaction_id = record.interaction_id ?? conversation.interaction_id;
  const replied = record.in_reply_to?.message_id;
  const { actor_id, org_actor_id } = actorOf(roll, record, conversation.user_id);
  const channel_id = record.channel_id === undefined ? conversation.channel_id : roll.channelId(record.channel_id);
  const whole: Whole = {
    id,
    created_time,
    app_id: roll.account.configuration.app_id,
    org_actor_id: org_actor_id ?? record.org_actor_id,
    channel_id,
    conversation_id: conversation.id,
    interaction_id,
    freshchat_conversation_id: String(conversation.number),
    freshchat_channel_id: channelNumber(channel_id),
    message_source: record.message_source ?? "api",
    message_parts: record.message_parts ?? [],
    reply_parts: record.reply_parts,
    actor_type: record.actor_type,
    actor_id: actor_id ?? record.actor_id,
    message_type: record.message_type ?? "normal",
    user_id: conversation.user_id,
    meta_data: record.meta_data,
    in_reply_to: replied === undefined ? undefined : { message_id: roll.idOf("message", replied) },
    restrictResponse: record.restrictResponse ?? false,
    botsPrivateNote: record.botsPrivateNote ?? false,
    isBotsInput: record.isBotsInput ?? (record.actor_type === "user" && replied !== undefined),
  };
  // JSON omits undefined members.
  return { id, conversation_id: conversation.id, created_time, interaction_id, body: messageJson(whole as Message) };
};
