import type { ConversationStore } from "./store.ts";
import { transition } from "./transitions.ts";
import type { Writing } from "./writing.ts";

export interface ReleasingDeps {
  readonly store: Pick<ConversationStore, "assignedTo">;
  readonly writing: Pick<Writing, "change">;
}

/** Takes an agent's open conversations away, each with its event; an abort ends it between two batches, by throwing. */
export type Release = (accountId: number, agentId: string, signal: AbortSignal) => Promise<void>;

/** As many as are committed together: others' writes come between two batches. */
const BATCH = 128;

/** @assumed The open conversations of a deleted agent are new again, in the group where they were; resolved ones keep its id. */
export const releasing =
  ({ store, writing }: ReleasingDeps): Release =>
  async (accountId, agentId, signal) => {
    for (;;) {
      signal.throwIfAborted();
      const batch = await store.assignedTo(accountId, agentId, BATCH);
      if (batch.length === 0) return;
      // Who loses a race was changed by somebody else, and is looked at again with the next batch.
      await Promise.all(
        batch.map((conversation) =>
          writing.change({
            conversation,
            next: transition(conversation, { agent: null }),
            interaction_id: conversation.interaction_id,
            properties: conversation.properties,
            actor_type: "system",
            actor_id: null,
            messages: [],
          }),
        ),
      );
    }
  };
