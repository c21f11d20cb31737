import type { Conversation } from "./conversations.ts";
import type { ActorType, Message } from "./messages.ts";
import type { OutboundMessage } from "./outbound.ts";
import type { User } from "./users.ts";

/** What an endpoint can be told of. */
export const WEBHOOK_ACTIONS = [
  "message_create",
  "conversation_assignment",
  "conversation_resolution",
  "conversation_reopen",
  "outbound_message_update",
] as const;
export type WebhookAction = (typeof WEBHOOK_ACTIONS)[number];

/** @assumed An endpoint that names no actions is told of the four that the field knows; the fifth is ours and is asked for by name. */
export const USUAL_WEBHOOK_ACTIONS = WEBHOOK_ACTIONS.filter((action) => action !== "outbound_message_update");

/** What a test delivery says in place of an action. @assumed It makes nothing up that could be taken for something that happened. */
export const WEBHOOK_TEST = "webhook_test";

/** An absent id is empty text. */
interface OfConversation {
  readonly conversation: Conversation;
  readonly interaction_id: string;
}

/** @assumed All four ids are said, those too that did not change: the state before and the state after. */
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

/** @assumed Its conversation has the status `reopened`, which names what happened; over the API it is `new`, as the table of states says. */
export interface WebhookReopening extends OfConversation {
  readonly reopener: ActorType;
  readonly reopener_id: string;
}

/**
 * The one member that goes with the action.
 * @assumed An outbound message is said as the list of outbound messages says it, in the status that the event brought.
 */
export type WebhookData =
  | { readonly message: Message }
  | { readonly assignment: WebhookAssignment }
  | { readonly resolve: WebhookResolution }
  | { readonly reopen: WebhookReopening }
  | { readonly outbound_message: OutboundMessage }
  | { readonly webhook: { readonly id: string; readonly actions: readonly string[] } };

/**
 * What an endpoint gets: POST, compact JSON, signed over the bytes as they are sent.
 * @units action_time: ISO 8601 in UTC with milliseconds @assumed
 */
export interface WebhookEvent {
  readonly actor: { readonly actor_type: ActorType; readonly actor_id: string };
  readonly action: WebhookAction | typeof WEBHOOK_TEST;
  readonly action_time: string;
  readonly data: WebhookData;
}
