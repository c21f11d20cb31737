import type { Db } from "@parley/database";
import type { ReleaseConversations } from "../conversations/release.ts";
import type { BackgroundJobs, JobTask } from "../jobs/index.ts";

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
const secondPassDelayMs = 5_000;

/** Schedules the release of a deleted agent's conversations in the deletion's transaction. */
export interface ConversationReleaseJobs {
  ask(tx: Db, accountId: number, agentId: string): Promise<void>;
  wake(): void;
}

export const createReleaseJobs = (
  jobs: Pick<BackgroundJobs, "schedule" | "wake">,
  now: () => Date,
): ConversationReleaseJobs => ({
  ask: async (tx, account_id, agent_id) => {
    const payload: DeletedAgent = { account_id, agent_id };
    for (const wait of [0, secondPassDelayMs])
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
