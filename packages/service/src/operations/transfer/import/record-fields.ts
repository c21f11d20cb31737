import { isDeepStrictEqual } from "node:util";
import { instantOf } from "../../../messaging/users/filters.sql.ts";
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
import { channelNumber } from "../../../messaging/directory/channel.ts";
import { hasProperties, interactionIdFrom } from "../../../messaging/conversations/conversation.ts";
import { messageJson } from "../../../messaging/conversations/message-parts.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { isUuid } from "../../../http/uuid.ts";
import { blankUser } from "../../../messaging/users/redact.ts";
import { newUser, userJson } from "../../../messaging/users/user.ts";
import type { ImportedConversationRow, ImportedMessageRow } from "../../../messaging/conversations/import.sql.ts";
import type { ImportedUserRow } from "../../../messaging/users/import.sql.ts";
import type { ExistingConversation } from "./lookup.sql.ts";
import type { AccountDirectory } from "./account-directory.ts";

type Json = Readonly<Record<string, unknown>>;

const emptyAsAbsent = (value: unknown): unknown => (value === "" || value === null ? undefined : value);

/** -> the first member of the record that differs from the stored record, or undefined. An empty text equals an absent member. */
export const firstDifference = (fields: Json, present: Json): string | undefined =>
  Object.entries(fields).find(([name, value]) => {
    if (value === undefined) return false;
    return !isDeepStrictEqual(emptyAsAbsent(value), emptyAsAbsent(present[name]));
  })?.[0];

const CANONICAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A time in the format of rows and replies. */
export const recordTime = (text: string): string => (CANONICAL_TIME.test(text) ? text : instantOf.floor(text));

/** A user of a record, with ids and times in the format of rows. */
export const userOfRecord = ({ idOf }: AccountDirectory, record: ImportedUser) => {
  const { type: _type, deleted_time, ...fields } = record;
  const created_time = recordTime(fields.created_time);
  const user: Partial<User> & Pick<User, "id" | "created_time" | "updated_time"> = {
    ...(!isUuid(fields.id) && { reference_id: fields.id }),
    ...fields,
    id: idOf("user", fields.id),
    created_time,
    updated_time: fields.updated_time === undefined ? created_time : recordTime(fields.updated_time),
  };
  return { user, deleted_time: deleted_time === undefined ? null : recordTime(deleted_time) };
};
export type UserOfRecord = ReturnType<typeof userOfRecord>;

/** The row of a new user. */
export const userRow = ({ user, deleted_time }: UserOfRecord, ports: Ports): ImportedUserRow => {
  const whole: User = { ...newUser({}, ports), ...user };
  const body = userJson(whole);
  if (deleted_time === null) return { ...whole, deleted_time, body };
  const { id, created_time, updated_time } = whole;
  return { id, created_time, updated_time, deleted_time, body: blankUser(body) };
};

const idOrNull = (text: string | undefined, idOf: (text: string) => string): string | null =>
  text ? idOf(text) : null;

const STATUSES = { new: "new", reopened: "new", assigned: "assigned", resolved: "resolved" } as const;

/**
 * A conversation of a record, with ids and times in the format of rows.
 * @errors INVALID_VALUE, CHANNEL_NOT_FOUND, AGENT_NOT_FOUND, GROUP_NOT_FOUND
 * @assumed The references of a resolved conversation may lead to removed objects. The channel, agent and group of an open one must exist.
 */
export const conversationOfRecord = (directory: AccountDirectory, record: ImportedConversation) => {
  const status = STATUSES[record.status ?? (record.assigned_agent_id ? "assigned" : "new")];
  const agent = idOrNull(record.assigned_agent_id, directory.agentId);
  const group = idOrNull(record.assigned_group_id, directory.groupId);
  const channel = directory.channelId(record.channel_id);
  if (status === "new" && agent !== null)
    refuse(INVALID_VALUE, "status must be assigned or resolved where assigned_agent_id is given");
  if (status === "assigned" && agent === null)
    refuse(INVALID_VALUE, "assigned_agent_id is mandatory where status is assigned");
  if (status !== "resolved") {
    if (!directory.hasChannel(channel))
      refuse(CHANNEL_NOT_FOUND, `channel_id names no channel of ${directory.account.name}`);
    if (agent !== null && !directory.agents.has(agent))
      refuse(AGENT_NOT_FOUND, `assigned_agent_id names no agent of ${directory.account.name}`);
    if (group !== null && !directory.hasGroup(group))
      refuse(GROUP_NOT_FOUND, `assigned_group_id names no group of ${directory.account.name}`);
  }
  if (record.properties !== undefined && !hasProperties(directory.account))
    refuse(INVALID_VALUE, "properties may not be given: a stand-alone account has no conversation properties");
  const created_time = recordTime(record.created_time);
  return {
    id: directory.idOf("conversation", record.conversation_id),
    user_id: directory.idOf("user", record.user_id),
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
export type ConversationOfRecord = ReturnType<typeof conversationOfRecord>;

/** The row of a new conversation. */
export const conversationRow = (fields: ConversationOfRecord, number: number): ImportedConversationRow => ({
  ...fields,
  number,
  interaction_id: fields.interaction_id ?? interactionIdFrom(number, new Date(fields.created_time)),
  properties: JSON.stringify(fields.properties ?? {}),
});

const actorOf = (
  directory: AccountDirectory,
  { actor_type, actor_id, org_actor_id }: ImportedMessage,
  userId: string,
): Pick<Message, "actor_id" | "org_actor_id"> => {
  if (actor_type === "user") return { actor_id: actor_id ? directory.idOf("user", actor_id) : userId };
  if (actor_type !== "agent" || !actor_id) return {};
  const id = directory.agentId(actor_id);
  return { actor_id: id, org_actor_id: org_actor_id ?? directory.agents.get(id)?.org_contact_id };
};

/** Lists every member by name: merging two objects costs more than parsing the record. */
type AllMembers = { readonly [Name in keyof Required<Message>]: Message[Name] | undefined };

/** The row of a message in its conversation. */
export const messageRow = (
  directory: AccountDirectory,
  { id, record }: { readonly id: string; readonly record: ImportedMessage },
  conversation: Pick<ExistingConversation, "id" | "number" | "user_id" | "channel_id" | "interaction_id">,
): ImportedMessageRow => {
  const created_time = recordTime(record.created_time);
  const interaction_id = record.interaction_id ?? conversation.interaction_id;
  const repliedId = record.in_reply_to?.message_id;
  const { actor_id, org_actor_id } = actorOf(directory, record, conversation.user_id);
  const channel_id = record.channel_id === undefined ? conversation.channel_id : directory.channelId(record.channel_id);
  const whole: AllMembers = {
    id,
    created_time,
    app_id: directory.account.configuration.app_id,
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
    in_reply_to: repliedId === undefined ? undefined : { message_id: directory.idOf("message", repliedId) },
    restrictResponse: record.restrictResponse ?? false,
    botsPrivateNote: record.botsPrivateNote ?? false,
    isBotsInput: record.isBotsInput ?? (record.actor_type === "user" && repliedId !== undefined),
  };
  // JSON omits undefined members.
  return { id, conversation_id: conversation.id, created_time, interaction_id, body: messageJson(whole as Message) };
};
