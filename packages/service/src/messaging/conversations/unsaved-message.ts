import type { ActorType, MessagePart } from "@parley/contract";

/** A template message sent outside of any conversation, to be copied into a conversation. */
export interface TemplateMessage {
  /** Becomes the id of the message, so that it cannot be written twice. */
  readonly id: string;
  readonly message_parts: MessagePart[];
  readonly meta_data: Readonly<Record<string, unknown>>;
}

/** Template messages that a user replies to by writing. */
export interface PendingReplies {
  /** The template messages to be written before the user's message, in order. */
  listPending(accountId: number, userId: string): Promise<readonly TemplateMessage[]>;
  /** Marks them as written, or as not to be returned again. Never rejects. */
  markWritten(ids: readonly string[]): Promise<void>;
}

/**
 * Values assigned when a message is placed in a conversation. @units created_time: UTC, ISO 8601 with milliseconds and Z
 */
interface MessagePlacement {
  readonly id: string;
  readonly created_time: string;
  readonly channel_id: string;
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly user_id: string;
  /** Number of the conversation. */
  readonly number: number;
}

/** A validated message that is not yet part of a conversation. */
export interface UnsavedMessage {
  /** Set if the id is known beforehand; otherwise one is generated. */
  readonly id?: string | undefined;
  readonly actor_type: ActorType;
  /** null for a bot and the system. */
  readonly actor_id: string | null;
  /** `restrictResponse` of a bot's message. */
  readonly restricts: boolean | undefined;
  /** Id of the message that it replies to. */
  readonly replyTo: string | undefined;
  /** Serializes the message. The same JSON text is stored, listed and returned. */
  readonly text: (place: MessagePlacement) => string;
}
