import type { Conversation } from "./conversations.ts";
import type { ActorType, Message } from "./messages.ts";
import type { OutboundMessage } from "./outbound.ts";
import type { User } from "./users.ts";

/**
 * The actions that a webhook can subscribe to. Each is sent by default, or only to a webhook that names it.
 * @assumed A webhook that names no actions receives the four documented actions; `outbound_message_update` is an addition of this service.
 */
const WEBHOOK_ACTION_DEFAULTS = {
  message_create: true,
  conversation_assignment: true,
  conversation_resolution: true,
  conversation_reopen: true,
  outbound_message_update: false,
} as const;
export type WebhookAction = keyof typeof WEBHOOK_ACTION_DEFAULTS;
export const WEBHOOK_ACTIONS = Object.keys(WEBHOOK_ACTION_DEFAULTS) as WebhookAction[];
export const DEFAULT_WEBHOOK_ACTIONS = WEBHOOK_ACTIONS.filter((action) => WEBHOOK_ACTION_DEFAULTS[action]);

/** The action of a test delivery. @assumed A separate action: a test can't be mistaken for a real event. */
export const WEBHOOK_TEST = "webhook_test";

/** An absent id is an empty string. */
interface OfConversation {
  readonly conversation: Conversation;
  readonly interaction_id: string;
}

/** @assumed All four ids are present, including unchanged ids: the state before and the state after. */
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
 * `data` of each action: one member, named by the object.
 * @assumed An outbound message has the shape of the list of outbound messages, in the status that the event brought.
 */
export interface WebhookDataByAction {
  readonly message_create: { readonly message: Message };
  readonly conversation_assignment: { readonly assignment: WebhookAssignment };
  readonly conversation_resolution: { readonly resolve: WebhookResolution };
  readonly conversation_reopen: { readonly reopen: WebhookReopening };
  readonly outbound_message_update: { readonly outbound_message: OutboundMessage };
  readonly webhook_test: { readonly webhook: { readonly id: string; readonly actions: readonly string[] } };
}
export type WebhookData = WebhookDataByAction[WebhookAction | typeof WEBHOOK_TEST];

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
