import type { ConversationStore } from "./store.ts";
import { stateAfterUpdate } from "./transitions.ts";
import type { ConversationWriter } from "./conversation-writer.ts";

interface ReleaseDeps {
  readonly store: Pick<ConversationStore, "assignedTo">;
  readonly writer: Pick<ConversationWriter, "change">;
}

/** Unassigns an agent's open conversations, logging an event for each. An abort throws between two batches. */
export type ReleaseConversations = (accountId: number, agentId: string, signal: AbortSignal) => Promise<void>;

/** Conversations per commit; other writes are committed between batches. */
const CONVERSATIONS_PER_BATCH = 128;

/**
 * @assumed The open conversations of a deleted agent become new again and stay in their group. Resolved ones keep the
 * agent's id.
 */
export const createReleaseConversations =
  ({ store, writer }: ReleaseDeps): ReleaseConversations =>
  async (accountId, agentId, signal) => {
    for (;;) {
      signal.throwIfAborted();
      const batch = await store.assignedTo(accountId, agentId, CONVERSATIONS_PER_BATCH);
      if (batch.length === 0) return;
      // A lost race means that the conversation was changed meanwhile; the next batch reads it again.
      await Promise.all(
        batch.map((conversation) =>
          writer.change({
            conversation,
            next: stateAfterUpdate(conversation, { agent: null }),
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
