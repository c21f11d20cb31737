import type { Conversation } from "./conversations.ts";
import type { ActorType, Message } from "./messages.ts";
import type { OutboundMessage } from "./outbound.ts";
import type { User } from "./users.ts";

/** Actions that a webhook can subscribe to. */
export const WEBHOOK_ACTIONS = [
  "message_create",
  "conversation_assignment",
  "conversation_resolution",
  "conversation_reopen",
  "outbound_message_update",
] as const;
export type WebhookAction = (typeof WEBHOOK_ACTIONS)[number];

/** @assumed Default of a webhook that names no actions: the four actions of existing services. The fifth is an addition and must be named. */
export const USUAL_WEBHOOK_ACTIONS = WEBHOOK_ACTIONS.filter((action) => action !== "outbound_message_update");

/** The action of a test delivery. @assumed A separate action: a test can't be mistaken for a real event. */
export const WEBHOOK_TEST = "webhook_test";

/** An absent id is an empty string. */
interface OfConversation {
  readonly conversation: Conversation;
  readonly interaction_id: string;
}

/** @assumed All four ids are present, including unchanged ones: the state before and the state after. */
export interface WebhookAssignment extends OfConversation {
  readonly assignor: ActorType;
  readonly assignor_id: string;
  readonly to_agent_id: string;
  readonly to_group_id: string;
  readonly from_agent_id: string;
  readonly from_group_id: string;
}

export interface WebhookResolution extends OfConversation {
  readonly resolver: ActorType;
  readonly resolver_id: string;
  readonly user: User;
}

/** @assumed The conversation has the status `reopened`, which names the event. The API returns `new`, as the table of states defines. */
export interface WebhookReopening extends OfConversation {
  readonly reopener: ActorType;
  readonly reopener_id: string;
}

/**
 * The member of the action.
 * @assumed An outbound message has the shape of listOutboundMessages, with the status that the event set.
 */
export type WebhookData =
  | { readonly message: Message }
  | { readonly assignment: WebhookAssignment }
  | { readonly resolve: WebhookResolution }
  | { readonly reopen: WebhookReopening }
  | { readonly outbound_message: OutboundMessage }
  | { readonly webhook: { readonly id: string; readonly actions: readonly string[] } };

/**
 * Body of a webhook delivery: POST, compact JSON. The signature covers the bytes as sent.
 * @units action_time: ISO 8601 in UTC with milliseconds @assumed
 */
export interface WebhookEvent {
  readonly actor: { readonly actor_type: ActorType; readonly actor_id: string };
  readonly action: WebhookAction | typeof WEBHOOK_TEST;
  readonly action_time: string;
  readonly data: WebhookData;
}
