import type { Channel } from "./channels.ts";
import type { Conversation } from "./conversations.ts";
import type { Message } from "./messages.ts";
import type { User } from "./users.ts";

/**
 * Product events by the service's event kind: the event name in the app framework, and the module of a 3.0 manifest that declares
 * the handler.
 */
export const PRODUCT_EVENTS = {
  conversation_create: { name: "onConversationCreate", module: "chat_conversation" },
  conversation_update: { name: "onConversationUpdate", module: "chat_conversation" },
  message_create: { name: "onMessageCreate", module: "chat_conversation" },
  user_create: { name: "onUserCreate", module: "chat_user" },
  user_update: { name: "onUserUpdate", module: "chat_user" },
} as const;
export type EventKind = keyof typeof PRODUCT_EVENTS;
export type ProductEventName = (typeof PRODUCT_EVENTS)[EventKind]["name"];

/**
 * Retry schedule of a failing handler, for events of the service and for schedules. Each retry waits for the next of `delaysMs`; no
 * retry starts later than `withinMs` after the first attempt. After the last retry the event is given up until it is retried by hand.
 * @units milliseconds
 * @assumed The numbers.
 */
export const HANDLER_RETRIES = { delaysMs: [500, 5_000], withinMs: 30_000 } as const;

/** The actor of an event. `sub_type` distinguishes integrations from people where the service can tell them apart. */
export interface Actor {
  readonly type: "user" | "agent" | "system" | "bot";
  readonly sub_type?: string;
  readonly id: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly avatar?: { readonly url?: string };
}

/** Objects related to the event's object, as of the event's commit. */
export interface Associations {
  readonly channel?: Pick<Channel, "id" | "name"> & Partial<Channel>;
  readonly user?: User;
  readonly group?: { readonly id: string; readonly name: string };
  readonly agent?: {
    readonly id: string;
    readonly first_name?: string;
    readonly last_name?: string;
    readonly email: string;
  };
}

/** The conversation with the messages of the event: exactly one for `message_create`. */
export type ConversationInEvent = Conversation & {
  readonly interaction_id: string;
  readonly messages?: readonly Message[];
};

export interface Changes {
  /** `[old, new]` by field; null stands for an absent value. */
  readonly model_changes: Readonly<Record<string, readonly [unknown, unknown]>>;
}

export interface EventData {
  readonly actor: Actor;
  readonly associations: Associations;
  readonly conversation?: ConversationInEvent;
  /** A conversation object with the new message as the only element of `messages`. */
  readonly message?: ConversationInEvent;
  readonly user?: User;
  readonly changes?: Changes;
}

/**
 * A committed event as the service delivers it to a subscription of kind `app`: a JSON POST, signed with the Standard Webhooks
 * headers. `webhook-id` equals `id` and is the same for all attempts.
 * @units timestamp: epoch ms
 */
export interface ServiceEvent {
  readonly id: string;
  readonly kind: EventKind;
  readonly account_id: number;
  readonly account: string;
  readonly domain: string;
  readonly region: string;
  readonly timestamp: number;
  readonly version: string;
  readonly data: EventData;
}
