import type { InboxItem, ListedCustomer, Message, MessagePreview, User } from "@parley/contract";
import { parseProperties } from "../../messaging/conversations/properties.ts";
import type { InboxItemRow } from "./items.sql.ts";

/** @units characters */
const PREVIEW_LENGTH_MAX = 160;

const previewOf = (body: string): MessagePreview => {
  const { message_parts, actor_type, message_type, created_time } = JSON.parse(body) as Message;
  const kind = Object.keys(message_parts[0] ?? {})[0] ?? "text";
  const text = message_parts.find((part) => part.text?.content)?.text?.content;
  return {
    // Whole characters: half of one can't be encoded.
    text: text === undefined ? kind : [...text.slice(0, 2 * PREVIEW_LENGTH_MAX)].slice(0, PREVIEW_LENGTH_MAX).join(""),
    kind,
    actor_type,
    is_private: message_type === "private",
    created_time,
  };
};

const customerOf = (id: string, body: string | null): ListedCustomer => {
  const { first_name, last_name, email, phone, avatar } =
    body === null ? ({} as Partial<User>) : (JSON.parse(body) as User);
  return { id, first_name, last_name, email, phone, avatar_url: avatar?.url };
};

/** Converts a row to what lists show. */
export const toInboxItem = (row: InboxItemRow): InboxItem => ({
  conversation_id: row.conversation_id,
  number: row.number,
  status: row.status,
  channel_id: row.channel_id,
  assigned_agent_id: row.assigned_agent_id ?? undefined,
  assigned_group_id: row.assigned_group_id ?? undefined,
  properties: parseProperties(row.properties),
  interaction_id: row.interaction_id,
  customer: customerOf(row.user_id, row.user),
  preview: row.message === null ? undefined : previewOf(row.message),
  created_time: row.created_time.toISOString(),
  activity_time: row.activity_time.toISOString(),
  waiting_since: row.waiting_since?.toISOString(),
  unread: row.unread,
  automatic_assignment: row.routing
    ? { agent_id: row.assigned_agent_id ?? "", ...row.routing, time: new Date(row.routing.time).toISOString() }
    : undefined,
});
