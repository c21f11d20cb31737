import type { ConversationStore } from "./store.ts";
import { stateAfterUpdate } from "./transitions.ts";
import type { ConversationWriter } from "./conversation-writer.ts";
import type { Db } from "@parley/database";
import type { BackgroundJobs, JobTask } from "../../base/jobs/index.ts";

interface ReleaseDeps {
  readonly store: Pick<ConversationStore, "assignedTo">;
  readonly writer: Pick<ConversationWriter, "change">;
}

/** Unassigns an agent's open conversations, logging an event for each. An abort throws between two batches. */
export type ReleaseConversations = (accountId: number, agentId: string, signal: AbortSignal) => Promise<void>;

/** Conversations per commit; other writes are committed between batches. */
const CONVERSATIONS_PER_BATCH = 128;

/**
 * @assumed The open conversations of a deleted agent become new again and stay in their group. Resolved conversations
 * keep the agent's id.
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

/** Payload: the deleted agent. */
interface DeletedAgent {
  readonly account_id: number;
  readonly agent_id: string;
}

const TASK = "agents.release";

/**
 * Delay of a second pass: other processes may have cached the agent and assigned conversations meanwhile. @units
 * milliseconds
 */
const SECOND_PASS_DELAY_MS = 5_000;

/** Schedules the release of a deleted agent's conversations in the deletion's transaction. */
export interface ConversationReleaseJobs {
  schedule(tx: Db, accountId: number, agentId: string): Promise<void>;
  wake(): void;
}

export const createReleaseJobs = (
  jobs: Pick<BackgroundJobs, "schedule" | "wake">,
  now: () => Date,
): ConversationReleaseJobs => ({
  schedule: async (tx, account_id, agent_id) => {
    const payload: DeletedAgent = { account_id, agent_id };
    for (const wait of [0, SECOND_PASS_DELAY_MS])
      await jobs.schedule(tx, { task: TASK, payload, due: new Date(now().getTime() + wait) });
  },
  wake: () => jobs.wake(),
});

export const releaseTasks = (release: ReleaseConversations): Readonly<Record<string, JobTask>> => ({
  [TASK]: async (payload, { signal }) => {
    const { account_id, agent_id } = payload as DeletedAgent;
    await release(account_id, agent_id, signal);
  },
});
