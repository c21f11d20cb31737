import type { ActorType, EventKind } from "@parley/contract";

/**
 * What a writer supplies of one row of the table `outbox`. Its `seq` is drawn by the writer's own statement
 * (`nextval('log_positions')`) once it holds the table's lock for writing, as any statement that writes does, and the entity's row
 * lock: the reader of the log relies on both.
 */
export interface NewEvent {
  readonly id: string;
  readonly account_id: number;
  /** `partitionOf(entity_id)` */
  readonly partition: number;
  readonly kind: EventKind;
  /** The conversation; the user for `user_create` and `user_update`. */
  readonly entity_id: string;
  readonly created_time: Date;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
  readonly user_id: string;
  readonly user_revision: number;
  /** null where the event is about a user. */
  readonly conversation_revision: number | null;
  /** The new message; for `conversation_create` the last of its first messages: it and those before it are told with the event. */
  readonly message_id: string | null;
  /** JSON text of the contract's `Changes`. */
  readonly changes: string | null;
}
