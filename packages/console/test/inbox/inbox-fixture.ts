import type { EventInStream, InboxItem, Message } from "@parley/contract";
import type { Viewer } from "../../src/inbox/view-match.ts";

/** @units seconds after the first conversation */
export const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

/** Conversation `number`, in which the customer wrote at the second of the same number. */
export const itemOf = (number: number, fields: Partial<InboxItem> = {}): InboxItem => ({
  conversation_id: `c${number}`,
  number,
  status: "new",
  channel_id: "topic",
  properties: {},
  interaction_id: `${number}-1`,
  customer: { id: `u${number}`, first_name: `Customer ${number}` },
  created_time: at(number),
  activity_time: at(number),
  unread: 1,
  ...fields,
});

export const itemsOf = (...numbers: readonly number[]): InboxItem[] => numbers.map((number) => itemOf(number));

export const VIEWER: Viewer = { agent_id: "me-id", scope: "Global", groups: ["own-group"] };

export const messageOf = (seconds: number, fields: Partial<Message> = {}): Message => ({
  id: `m${seconds}`,
  created_time: at(seconds),
  app_id: "app",
  channel_id: "topic",
  conversation_id: "c1",
  interaction_id: "1-1",
  freshchat_conversation_id: "1",
  freshchat_channel_id: "1",
  actor_type: "user",
  message_type: "normal",
  message_parts: [{ text: { content: `Text ${seconds}` } }],
  ...fields,
});

type Conversation = NonNullable<EventInStream["data"]["conversation"]>;

const conversationOf = (item: InboxItem, messages?: readonly Message[]): Conversation => ({
  conversation_id: item.conversation_id,
  conversation_internal_id: item.number,
  freshchat_conversation_id: String(item.number),
  channel_id: item.channel_id,
  assigned_agent_id: item.assigned_agent_id ?? "",
  assigned_group_id: item.assigned_group_id ?? "",
  app_id: "app",
  status: item.status,
  properties: item.properties,
  user_id: item.customer.id,
  url: "http://localhost/conversation",
  created_time: item.created_time,
  updated_time: item.activity_time,
  interaction_id: item.interaction_id,
  ...(messages && { messages }),
});

/** An event of the conversation in this state. */
export const eventOf = (
  kind: EventInStream["kind"],
  item: InboxItem,
  {
    messages,
    changes,
  }: { readonly messages?: readonly Message[]; readonly changes?: Record<string, [unknown, unknown]> } = {},
): EventInStream => {
  const conversation = conversationOf(item, messages);
  return {
    id: "event",
    kind,
    account_id: 1,
    account: "acme",
    domain: "acme",
    region: "US",
    timestamp: 0,
    version: "1.0.0",
    data: {
      actor: { type: "user", id: item.customer.id },
      associations: {
        user: {
          id: item.customer.id,
          first_name: item.customer.first_name ?? "",
          login_status: true,
          created_time: item.created_time,
          updated_time: item.created_time,
        },
      },
      ...(kind === "message_create" ? { message: conversation } : { conversation }),
      ...(changes && { changes: { model_changes: changes } }),
    },
  };
};
