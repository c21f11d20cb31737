import type { Pool } from "@parley/database";
import type { Ports } from "../ports.ts";
import type { Said } from "./db/said.ts";
import type { Draft } from "./draft.ts";
import type { ConversationRow } from "./store.ts";

export interface WritingDeps {
  readonly writes: Pool;
  readonly ports: Ports;
  readonly wake: () => void;
}

/** A draft with the interaction that it belongs to. */
export interface Spoken {
  readonly draft: Draft;
  readonly interaction_id: string;
}

/** What was written: the row as it is after that, and the JSON texts of the messages. */
export interface Written {
  readonly conversation: ConversationRow;
  readonly texts: readonly string[];
}

/** One time, in the two forms that a batch needs. */
export interface Stamp {
  readonly date: Date;
  readonly text: string;
}

/** What every batch of writes needs: the database, a time and places for messages. */
export interface Batches {
  readonly db: Pool;
  readonly wake: () => void;
  readonly newId: () => string;
  /** The time of a batch: never before the one of an earlier batch, though the machine's clock may be set back. */
  readonly stamp: () => Stamp;
  /** The clock is listened to no more. */
  readonly close: () => void;
  readonly place: (
    conversation: Pick<ConversationRow, "id" | "number" | "channel_id" | "user_id">,
    spoken: Spoken,
    time: Stamp,
  ) => Said;
}

export const batches = ({ writes, ports: { now, newId, onJump }, wake }: WritingDeps): Batches => {
  let last = 0;
  // Who sets the clock back wants its time.
  const forget = onJump?.(() => (last = 0));
  return {
    db: writes,
    wake,
    newId,
    stamp() {
      last = Math.max(last, now().getTime());
      const date = new Date(last);
      return { date, text: date.toISOString() };
    },
    close: () => forget?.(),
    place({ id: conversation_id, number, channel_id, user_id }, { draft, interaction_id }, { text: created_time }) {
      const id = draft.id ?? newId();
      const text = draft.text({ id, created_time, channel_id, conversation_id, interaction_id, user_id, number });
      return { id, conversation_id, interaction_id, draft, text };
    },
  };
};
