import type { Pool } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import type { NewMessageRow } from "./append.sql.ts";
import type { ConversationRow } from "./store.ts";
import type { UnsavedMessage } from "./unsaved-message.ts";

/** Dependencies of batches of writes. */
export interface ConversationWriterDeps {
  readonly writes: Pool;
  readonly ports: Ports;
  readonly wake: () => void;
}

/** An unsaved message and the interaction that it belongs to. */
export interface ConversationMessage {
  readonly draft: UnsavedMessage;
  readonly interaction_id: string;
  /** The span that writes it (W3C `traceparent`). */
  readonly trace_parent?: string | undefined;
}

/** Time of a batch in both representations that it needs. */
interface BatchTime {
  readonly date: Date;
  readonly text: string;
}

/** Shared by all batches: the database, the batch clock and the message builder. */
export interface BatchContext {
  readonly db: Pool;
  readonly wake: () => void;
  readonly newId: () => string;
  /** The time of a batch. Never earlier than that of a previous batch, even if the system clock is set back. */
  readonly nextTime: () => BatchTime;
  /** Unsubscribes from clock changes. */
  readonly close: () => void;
  readonly toRow: (
    conversation: Pick<ConversationRow, "id" | "number" | "channel_id" | "user_id">,
    message: ConversationMessage,
    time: BatchTime,
  ) => NewMessageRow;
}

export const createBatchContext = ({
  writes,
  ports: { now, newId, onJump },
  wake,
}: ConversationWriterDeps): BatchContext => {
  let last = 0;
  // A deliberate clock change resets the monotonic bound.
  const unsubscribe = onJump?.(() => (last = 0));
  return {
    db: writes,
    wake,
    newId,
    nextTime() {
      last = Math.max(last, now().getTime());
      const date = new Date(last);
      return { date, text: date.toISOString() };
    },
    close: () => unsubscribe?.(),
    toRow(
      { id: conversation_id, number, channel_id, user_id },
      { draft, interaction_id, trace_parent },
      { text: created_time },
    ) {
      const id = draft.id ?? newId();
      const text = draft.text({ id, created_time, channel_id, conversation_id, interaction_id, user_id, number });
      return { id, conversation_id, interaction_id, draft, text, trace_parent };
    },
  };
};
