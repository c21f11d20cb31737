import type { ActorType, NewMessage } from "@parley/contract";
import type { Account } from "../http/slice.ts";
import type { TemplateMessage } from "./answered.ts";

/** Where and when a message came to stand. @units created_time: UTC, ISO 8601 with milliseconds and Z */
export interface Place {
  readonly id: string;
  readonly created_time: string;
  readonly channel_id: string;
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly user_id: string;
  /** The conversation's. */
  readonly number: number;
}

/** A checked message that waits for its place in a conversation. */
export interface Draft {
  /** Where it is known before; else one is made for it. */
  readonly id?: string | undefined;
  readonly actor_type: ActorType;
  /** null for a bot and the system. */
  readonly actor_id: string | null;
  /** `restrictResponse` of a bot's message. */
  readonly restricts: boolean | undefined;
  /** Id of the message that it answers. */
  readonly replyTo: string | undefined;
  /** Makes the JSON text that is stored, listed and replied. */
  readonly text: (place: Place) => string;
}

/** Where drafts come from. */
export interface Drafts {
  /** @errors INVALID_MESSAGE_PARTS, INVALID_ACTOR */
  check(account: Account, given: NewMessage): Promise<Draft>;
  /** What the service says when a conversation is resolved or reopened. */
  ofTurn(account: Account, turn: "isResolved" | "isReopen"): Draft;
  /** A template message that the user answers. */
  ofTemplate(account: Account, message: TemplateMessage): Draft;
}
