import type { Conversation, Message, WebhookAction, WebhookData, WebhookEvent } from "@parley/contract";
import { accountOfRow } from "../accounts/store.ts";
import type { Directory } from "../directory/directory.ts";
import { toApiConversation } from "../conversations/conversation.ts";
import type { ConversationEventRow, EventRow } from "../event-payload/store.ts";
import { isOfConversation, eventUserOf } from "../event-payload/event-payload.ts";
import type { ListedRow } from "../outbound/requests.sql.ts";
import { outboundMessageAt } from "../outbound/outbound-message.ts";
import { webhookActionsOf, webhookAssignmentOf } from "./actions.ts";

interface WebhookPayloadDeps {
  readonly directory: Directory;
  /** -> undefined for an unknown message */
  readonly outboundMessage: (id: string) => Promise<ListedRow | undefined>;
  /** Renews the signatures of upload URLs in a text. */
  readonly resignUrls: (text: string, accountId: number) => string;
}

/** The text of one delivery. */
export interface WebhookPayload {
  readonly action: WebhookAction;
  readonly id: string;
  readonly body: string;
}

/** Equal for each attempt; an event may be several actions. @assumed */
const idOf = (eventId: string, action: WebhookAction): string => `${eventId}_${action}`;

const conversationData = async (
  directory: Directory,
  row: ConversationEventRow,
  action: WebhookAction,
): Promise<WebhookData | undefined> => {
  const { account_id: id, account_name: name, configuration, primary_locale, calls_per_hour } = row;
  const account = accountOfRow({ id, name, configuration, primary_locale, calls_per_hour });
  const { actor_type, interaction_id } = row;
  const actor_id = row.actor_id ?? "";
  if (action === "message_create")
    return row.messages === null ? undefined : { message: JSON.parse(row.messages) as Message };
  const about = { conversation: await toApiConversation(directory, account, row), interaction_id };
  if (action === "conversation_reopen") {
    const conversation: Conversation = { ...about.conversation, status: "reopened" };
    return { reopen: { reopener: actor_type, reopener_id: actor_id, ...about, conversation } };
  }
  if (action === "conversation_resolution")
    return { resolve: { resolver: actor_type, resolver_id: actor_id, ...about, user: eventUserOf(row) } };
  const { from, to } = webhookAssignmentOf(row);
  return {
    assignment: {
      assignor: actor_type,
      assignor_id: actor_id,
      to_agent_id: to.agent ?? "",
      to_group_id: to.group ?? "",
      from_agent_id: from.agent ?? "",
      from_group_id: from.group ?? "",
      ...about,
    },
  };
};

/** Makes the webhook payloads of an event: one delivery for each action, in their order. */
export const createWebhookPayload = ({ directory, outboundMessage, resignUrls }: WebhookPayloadDeps) => {
  const dataOf = async (row: EventRow, action: WebhookAction): Promise<WebhookData | undefined> => {
    if (isOfConversation(row)) return conversationData(directory, row, action);
    const message = await outboundMessage(row.entity_id);
    return message && { outbound_message: outboundMessageAt(message, row.changes) };
  };

  return async (row: EventRow): Promise<readonly WebhookPayload[]> => {
    const payloads = await Promise.all(
      webhookActionsOf(row).map(async (action): Promise<WebhookPayload[]> => {
        const data = await dataOf(row, action);
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
};
