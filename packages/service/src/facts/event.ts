import type { ActorType } from "@parley/contract";

/** What of every event of the log is needed to tell facts. */
interface Happening {
  readonly seq: number;
  readonly account_id: number;
  readonly conversation_id: string;
  readonly interaction_id: string;
  readonly created_time: Date;
  readonly actor_type: ActorType;
  readonly actor_id: string | null;
}

/** A conversation began or changed; its state is that of the event's revision. */
export interface TurnEvent extends Happening {
  readonly kind: "conversation_create" | "conversation_update";
  readonly channel_id: string;
  readonly user_id: string;
  readonly status: "new" | "assigned" | "resolved";
  readonly agent_id: string | null;
  readonly group_id: string | null;
  /** JSON text of the contract's `Changes`; null on create. */
  readonly changes: string | null;
}

/** A user or an agent said something. */
export interface SpeechEvent extends Happening {
  readonly kind: "message_create";
  readonly message_id: string;
  /** Known for an agent's message only. */
  readonly message_type: string | null;
}

export type FactEvent = TurnEvent | SpeechEvent;
