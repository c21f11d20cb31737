import type { Conversation, Message, WebhookAction, WebhookDataByAction, WebhookEvent } from "@parley/contract";
import { accountOfRow } from "../../messaging/accounts/store.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import { toApiConversation } from "../../messaging/conversations/conversation.ts";
import type { EventRow } from "../event-payload/store.ts";
import { isOfConversation, eventUserOf } from "../event-payload/event-payload.ts";
import type { OutboundRequestRow } from "../../messaging/outbound/requests.sql.ts";
import { outboundMessageAt } from "../../messaging/outbound/outbound-message.ts";
import { webhookActionsOf, webhookAssignmentOf } from "./actions.ts";

/** The text of one delivery. */
export interface WebhookPayload {
  readonly action: WebhookAction;
  readonly id: string;
  readonly body: string;
}

/** Equal for each attempt; an event may be several actions. @assumed */
const idOf = (eventId: string, action: WebhookAction): string => `${eventId}_${action}`;

/** Reads what the payload of an action needs besides the event's own row. */
interface PayloadSource {
  readonly directory: Directory;
  /** -> undefined for an unknown message */
  readonly outboundMessage: (id: string) => Promise<OutboundRequestRow | undefined>;
}

/** -> undefined when the event has nothing for the action, such as an event without its conversation */
type MakeData<Action extends WebhookAction> = (
  row: EventRow,
  source: PayloadSource,
) => Promise<WebhookDataByAction[Action] | undefined>;

/** The conversation and interaction of an event, with the row of the conversation. */
const conversationOf = async (row: EventRow, { directory }: PayloadSource) => {
  if (!isOfConversation(row)) return undefined;
  const { account_id: id, account_name: name, configuration, primary_locale, calls_per_hour } = row;
  const account = accountOfRow({ id, name, configuration, primary_locale, calls_per_hour });
  const conversation = await toApiConversation(directory, account, row);
  return { row, actorId: row.actor_id ?? "", members: { conversation, interaction_id: row.interaction_id } };
};

const DATA: { readonly [Action in WebhookAction]: MakeData<Action> } = {
  message_create: (row) =>
    Promise.resolve(
      isOfConversation(row) && row.messages !== null ? { message: JSON.parse(row.messages) as Message } : undefined,
    ),
  conversation_assignment: async (event, source) => {
    const found = await conversationOf(event, source);
    if (!found) return undefined;
    const { row, actorId, members } = found;
    const { from, to } = webhookAssignmentOf(row);
    return {
      assignment: {
        assignor: row.actor_type,
        assignor_id: actorId,
        to_agent_id: to.agent ?? "",
        to_group_id: to.group ?? "",
        from_agent_id: from.agent ?? "",
        from_group_id: from.group ?? "",
        ...members,
      },
    };
  },
  conversation_resolution: async (event, source) => {
    const found = await conversationOf(event, source);
    if (!found) return undefined;
    const { row, actorId, members } = found;
    return { resolve: { resolver: row.actor_type, resolver_id: actorId, ...members, user: eventUserOf(row) } };
  },
  conversation_reopen: async (event, source) => {
    const found = await conversationOf(event, source);
    if (!found) return undefined;
    const { row, actorId, members } = found;
    const conversation: Conversation = { ...members.conversation, status: "reopened" };
    return { reopen: { reopener: row.actor_type, reopener_id: actorId, ...members, conversation } };
  },
  outbound_message_update: async (row, { outboundMessage }) => {
    const message = await outboundMessage(row.entity_id);
    return message && { outbound_message: outboundMessageAt(message, row.changes) };
  },
};

/**
 * Makes the webhook payloads of an event: one delivery for each action, in their order.
 * @shape resignUrls: renews the signatures of the upload URLs in a text
 */
export const createWebhookPayload =
  ({ resignUrls, ...source }: PayloadSource & { readonly resignUrls: (text: string, accountId: number) => string }) =>
  async (row: EventRow): Promise<readonly WebhookPayload[]> => {
    const payloads = await Promise.all(
      webhookActionsOf(row).map(async (action): Promise<WebhookPayload[]> => {
        const data = await DATA[action](row, source);
        if (!data) return [];
        const event: WebhookEvent = {
          actor: { actor_type: row.actor_type, actor_id: row.actor_id ?? "" },
          action,
          action_time: row.event_time.toISOString(),
          data,
        };
        return [{ action, id: idOf(row.event_id, action), body: resignUrls(JSON.stringify(event), row.account_id) }];
      }),
    );
    return payloads.flat();
  };
