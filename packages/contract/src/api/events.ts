import type { Channel } from "./channels.ts";
import type { Conversation } from "./conversations.ts";
import type { Message } from "./messages.ts";
import type { User } from "./users.ts";

/**
 * What happened, in the service's words, and the app framework's word for it: one row an event.
 * `module` is where a manifest of 3.0 declares the handler.
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
 * How often a handler that fails is called again, for what the service tells as for a schedule: after these waits, as long as no try
 * begins later than `withinMs` after the first one began. Then it is given up, until it is asked for.
 * @units milliseconds
 * @assumed The numbers.
 */
export const HANDLER_TRIES = { waitsMs: [500, 5_000], withinMs: 30_000 } as const;

/** Who did it. `sub_type` tells an integration from a person where it is known. */
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

/** What the event's object belongs to, as it was at the event's commit. */
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

/** The conversation with the messages that the event is about: one for `message_create`. */
export type ConversationInEvent = Conversation & {
  readonly interaction_id: string;
  readonly messages?: readonly Message[];
};

export interface Changes {
  /** `[old, new]` by field; null where there was or is none. */
  readonly model_changes: Readonly<Record<string, readonly [unknown, unknown]>>;
}

export interface EventData {
  readonly actor: Actor;
  readonly associations: Associations;
  readonly conversation?: ConversationInEvent;
  /** Has the conversation's shape, with the one new message in `messages`. */
  readonly message?: ConversationInEvent;
  readonly user?: User;
  readonly changes?: Changes;
}

/**
 * A committed event as the service sends it to a subscriber of the kind `app`: POST, JSON, signed with the Standard Webhooks
 * headers (`webhook-id` is `id`: the same over all tries).
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
