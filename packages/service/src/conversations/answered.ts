import type { MessagePart } from "@parley/contract";

/** A template message that was sent outside of any conversation, as it is to stand in one. */
export interface TemplateMessage {
  /** Becomes the id of the message: a second one of it can't be written. */
  readonly id: string;
  readonly message_parts: MessagePart[];
  readonly meta_data: Readonly<Record<string, unknown>>;
}

/** Template messages that a user answers by writing. */
export interface Answered {
  /** Those that are to stand before what the user writes, in their order. */
  waiting(accountId: number, userId: string): Promise<readonly TemplateMessage[]>;
  /** They stand in their conversation, or will never be asked for again. Never fails. */
  done(ids: readonly string[]): Promise<void>;
}
